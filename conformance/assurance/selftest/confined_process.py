"""The process in which edits of others run; it confines itself before it reads the first one."""

import json
import os
import pickle
import sys
from collections.abc import Mapping
from typing import Any

from conformance.assurance.selftest import confinement


def main() -> None:
    """Run what standard input has, and write a line for each of it."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed

    def write(line: Mapping[str, Any]) -> None:
        output.write(json.dumps(line) + "\n")
        output.flush()

    write({"missing": confinement.confine()})
    # What has threads may be imported now, and no edit was read so far.
    from conformance.assurance.selftest import matrix  # noqa: PLC0415

    subjects, processes, alone = pickle.load(sys.stdin.buffer)
    try:
        for row in matrix.rows(subjects, processes, alone=alone):
            line = {
                "id": row.subject.id,
                "failed": row.failed,
                "problems": row.problems,
                "is-ours": row.is_ours,
            }
            write(line)
    except matrix.MatrixError as problem:
        write({"error": str(problem)})
