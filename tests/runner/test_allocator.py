"""What a run frees goes back to the system."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from conformance.runner import allocator
if sys.argv[1] == "bound":
    allocator.bound()
first = b"x" * 900_000
del first
large, small = [], []
for _ in range(200):
    large.append(b"x" * 900_000)
    small.append(b"y" * 600)
large.clear()
status = Path("/proc/self/status").read_text()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))
"""


def resident(how: str) -> float:
    """MiB of a process that has freed 170 MiB between small blocks that it keeps."""
    command = [sys.executable, "-c", PROGRAM, how]
    return int(subprocess.run(command, capture_output=True, check=True).stdout) / 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells in a file")
def test_large_blocks_go_back_to_the_system() -> None:
    """Without the bound they stay with the process, between the small ones."""
    assert resident("bound") < resident("as it is") - 100
