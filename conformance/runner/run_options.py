"""The options of a run: `conformance run` and pytest have the same, from one table.

In pytest their names begin with `--conformance-`. Where pytest runs our suite, most of them are
accepted without that as well.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.runner import option_types

REPORT_DIR = Path("reports/latest")


@dataclass(frozen=True)
class RunOption:
    """One option, without the dashes of its name.

    An option without a `metavar` and without `choices` is a flag. The `type` of one that `repeats`
    returns a tuple, and its value is the list of all their members. `is_short` says whether pytest
    accepts the name without `conformance-` where it runs our suite.
    """

    name: str
    help: str
    metavar: str | None = None
    type: Callable[[str], Any] | None = None
    choices: tuple[str, ...] | None = None
    default: Any = None
    repeats: bool = False
    is_short: bool = True

    @property
    def is_flag(self) -> bool:
        """Whether the option has no value."""
        return self.metavar is None and self.choices is None

    @property
    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of argparse's `add_argument`."""
        if self.is_flag:
            return {"help": self.help, "action": "store_true"}
        keywords: dict[str, Any] = {"help": self.help}
        keywords["default"] = [] if self.repeats else self.default
        stated = {"metavar": self.metavar, "type": self.type, "choices": self.choices}
        keywords |= {key: value for key, value in stated.items() if value is not None}
        return keywords | ({"action": "extend"} if self.repeats else {})

    def written(self, value: Any) -> Iterator[str]:
        """The arguments that give pytest this value, as `keywords` has parsed it."""
        name = f"--conformance-{self.name}"
        if self.is_flag:
            yield from (name,) if value else ()
            return
        for each in value if self.repeats else (value,):
            if each:
                text = ",".join(each) if isinstance(each, tuple) else str(each)
                yield f"{name}={text}"


OPTIONS = (
    RunOption(
        "target",
        "target profile (default without --base-url: target.toml of this folder;"
        " `conformance init` writes one)",
        metavar="FILE",
        type=Path,
    ),
    RunOption(
        "trust",
        "run the commands of the profile, and send the variables that it names, without a question",
    ),
    RunOption(
        "report-dir",
        "folder for the report (default: reports/latest)",
        metavar="DIR",
        type=Path,
    ),
    RunOption(
        "depth",
        "how thorough the run is (default: %(default)s)",
        choices=("smoke", "quick", "standard", "deep"),
        default="standard",
    ),
    RunOption(
        "seed",
        "the same seed sends the same requests (default: %(default)s)",
        metavar="N",
        type=option_types.seed,
        default=1,
        is_short=False,
    ),
    RunOption(
        "class",
        "check only these conformance classes; may be repeated",
        metavar="CLASS,…",
        type=option_types.conformance_classes,
        repeats=True,
        is_short=False,
    ),
    RunOption(
        "only",
        "check only these requirements, or what is about these operations; with both, these"
        " requirements on these operations; may be repeated",
        metavar="REQUIREMENT|OPERATION,…",
        type=option_types.names,
        repeats=True,
        is_short=False,
    ),
    RunOption(
        "last-failed",
        "check only what failed in the last report of the report folder",
        is_short=False,
    ),
    RunOption(
        "failed-first",
        "begin with what failed in the last report of the report folder",
        is_short=False,
    ),
    RunOption(
        "max-failures",
        "stop once so many different requirements have failed; --resume goes on",
        metavar="N",
        type=option_types.count,
    ),
    RunOption(
        "events",
        "write what happens as JSON lines, as it happens; - is standard output, which has nothing"
        " else then, and is for `conformance run` only",
        metavar="FILE|-",
        type=Path,
        is_short=False,
    ),
    RunOption(
        "shard",
        "perform one of N parts of the checks, 1/N to N/N; index=0/N where counting begins at 0"
        " (`conformance merge` makes one report of them)",
        metavar="K/N",
        type=option_types.shard,
    ),
    RunOption(
        "resume",
        "go on with the interrupted run in this folder: what is finished is kept, and what is left"
        " is performed",
        metavar="DIR",
        type=Path,
        is_short=False,
    ),
    RunOption(
        "durations-from",
        "an earlier report, with its exchanges.jsonl: its durations balance the shards",
        metavar="REPORT",
        type=Path,
    ),
    RunOption(
        "report",
        "formats in addition to report.json (default: junit,html and that of the CI)",
        metavar="FORMAT,…",
        type=option_types.formats,
        default=(),
    ),
    RunOption(
        "known-failures",
        "known failures and gaps (TOML); they do not fail the run",
        metavar="FILE",
        type=Path,
    ),
    RunOption(
        "baseline",
        "an earlier report; exit with 5 if what passed there is not checked now",
        metavar="REPORT",
        type=Path,
        is_short=False,
    ),
    RunOption(
        "revision",
        "only the requirements of this revision count; newer ones are checked and shown",
        metavar="YYYY-MM",
        is_short=False,
    ),
    RunOption(
        "no-trace-headers",
        "send no traceparent and no x-conformance-exchange, which name the exchange in logs",
    ),
    RunOption("require-complete", "exit with 1 if a requirement could not be checked"),
    RunOption(
        "require",
        "what has to be checked; exit with 5 if it could not be"
        " (default: read and authentication, as far as the profile allows)",
        metavar="CLASS|REQUIREMENT,…",
        type=option_types.names,
        repeats=True,
    ),
    RunOption(
        "max-time",
        "end the run after this time; what is left is inconclusive (default: 600, with --depth deep"
        " 3600, longer at a request rate of the profile); with --depth deep, generated requests go"
        " on until a tenth of it is left (default: of the first 900)",
        metavar="SECONDS",
        type=option_types.seconds,
    ),
    RunOption(
        "max-requests",
        "end the run after so many requests; what is left is inconclusive",
        metavar="N",
        type=option_types.count,
    ),
    RunOption(
        "max-log",
        "largest size of exchanges.jsonl (default: 1000)",
        metavar="MB",
        type=option_types.count,
    ),
)
