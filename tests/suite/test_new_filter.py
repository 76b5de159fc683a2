"""A new list filter needs only edits of the contract file and of the reference."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
CONTRACT = (
    "spec/openapi.yaml",
    """          example: b7e0c5d4-92a1-4e36-8c0f-1f5d7a2e9b63
      responses:
        "200":
          description: One page of reviews.
""",
    """          example: b7e0c5d4-92a1-4e36-8c0f-1f5d7a2e9b63
        - name: videoId
          in: query
          x-role: video
          x-restricts: videoId
          description: Only reviews of this video.
          schema: {$ref: "#/components/schemas/Uuid"}
          example: e41b7f90-6d35-4a82-9c1e-83f0b5d2a746
      responses:
        "200":
          description: One page of reviews.
""",
)
SERVICE = (
    "conformance/reference/service.py",
    "        rows = self._reader(caller).reviews(listing.window, project)\n",
    """        video = arguments.optional_uuid(given, "videoId")
        rows = self._reader(caller).reviews(listing.window, project, video)
""",
)
SIGNATURE = (
    "conformance/reference/queries.py",
    "def reviews(self, window: Window, project: str | None)",
    "def reviews(self, window: Window, project: str | None, video: str | None)",
)
QUERY = (
    "conformance/reference/queries.py",
    '        return self._many("reviews", conditions, window, project=project)\n',
    """        if video is not None:
            conditions.append("record.video_id = :video")
        return self._many("reviews", conditions, window, project=project, video=video)
""",
)
IGNORED = (QUERY[0], "if video is not None:", "if False:")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and of the contract files, with the filter."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("conformance", "spec"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for edit in (CONTRACT, SERVICE, SIGNATURE, QUERY):
        change(folder, *edit)
    return folder


def change(folder: Path, name: str, before: str, after: str) -> None:
    """Replace the one place in a file of the copy."""
    path = folder / name
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, (name, before)
    path.write_text(text.replace(before, after), encoding="utf-8")


def run(folder: Path, *options: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The report and the exchanges of a run of the copy's suite on the copy's reference."""
    command = [sys.executable, "-m", "conformance", "run", *options]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    written = folder / "reports" / "latest"
    lines = (written / "exchanges.jsonl").read_bytes().splitlines()
    return json.loads((written / "report.json").read_bytes()), [json.loads(line) for line in lines]


def test_a_run_exercises_the_new_filter_and_stays_conformant(copy: Path) -> None:
    """Its requests have valid, malformed and combined values, ids outside the grant, and tools."""
    report, exchanges = run(copy)
    asked = [parse_qs(urlsplit(each["request"]["url"]).query) for each in exchanges]
    values = {value for query in asked for value in query.get("videoId", ())}
    tools = [each for each in exchanges if "videoId" in str(each["request"]["body"])]
    target = json.loads((copy / "reports" / "latest" / "target.json").read_bytes())

    assert report["verdict"] == "conformant"
    assert {"not-a-uuid", target["fixtures"]["foreign"]["video"]} <= values
    assert tools != []
    assert any({"videoId", "projectId"} <= query.keys() for query in asked)


def test_a_reference_that_ignores_the_new_filter_fails(copy: Path) -> None:
    """The requirements about filters fail on the list that has the filter."""
    change(copy, *IGNORED)
    report, _ = run(copy, "--class", "pagination")
    change(copy, IGNORED[0], IGNORED[2], IGNORED[1])
    failed = {
        entry["id"]: entry["operations"]
        for entry in report["requirements"]
        if entry["verdict"] == "fail"
    }

    assert set(failed) == {"pagination/filter"}
    assert failed["pagination/filter"]["review_list"] == "fail"
    assert failed["pagination/filter"]["video_list"] == "pass"
