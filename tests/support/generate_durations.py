"""Writes conformance/runner/durations.json from a run: `generate_durations.py REPORT`.

The run was `conformance run` on `conformance serve --latency 20ms`, at standard depth.
"""

import json
import sys
from pathlib import Path
from statistics import mean

from conformance.runner import durations


def main() -> None:
    """Write the mean of each check, in milliseconds."""
    by_check: dict[str, list[float]] = {}
    for name, seconds in durations.recorded(Path(sys.argv[1])).items():
        by_check.setdefault(name.partition("[")[0], []).append(1000 * seconds)
    means = {name: round(mean(by_check[name]), 1) for name in sorted(by_check)}
    durations.SHIPPED.write_text(json.dumps(means, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
