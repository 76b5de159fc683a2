"""What a run connects to and reads: nothing that a target's schemas refer to."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "support" / "closed_world.py"


def test_schemas_of_a_target_make_a_run_fetch_nothing(tmp_path: Path) -> None:
    """Tools and description refer to another host and to a file; neither is touched."""
    trap = tmp_path / "trap.json"
    trap.write_text("{}")

    ended = subprocess.run(
        [sys.executable, PROGRAM, tmp_path / "report", trap],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )

    seen = json.loads(ended.stdout)
    assert (seen["connected"], seen["opened"]) == ([], [])
    assert "error" not in seen["verdicts"].values()
    assert seen["verdicts"]["tools/listed"] == "pass"
