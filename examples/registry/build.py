"""Builds the example registry and its site: `python examples/registry/build.py OUT [--only NAME]`.

Every product is the bundled reference, as it is or altered, served over loopback. Keys are made for
the occasion and thrown away.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from conformance.__main__ import main as conformance
from conformance.assurance.certificate import dsse
from conformance.assurance.registry import submission
from conformance.assurance.selftest import altered, population
from conformance.reference import serve, target

HERE = Path(__file__).parent
PRODUCTS = {
    "acme-dub": "",
    "echo-cast": "approved-again-is-200",
    "mumble": "account-type-in-capitals",
}
"""The folder of each product, and the mutant or variant of the reference that it is."""

KNOWN = "known-failures.toml"


def build(out: Path, names: Sequence[str], depth: str) -> None:
    """Make the registry `out/registry`, and its site `out/site`."""
    registry = out / "registry"
    shutil.copytree(HERE, registry, ignore=shutil.ignore_patterns("*.py", "README.md", "__*"))
    with tempfile.TemporaryDirectory() as folder:
        keys = Path(folder)
        dsse.generate(keys / "registrar")
        shutil.copy(keys / "registrar.pub", registry / submission.REGISTRAR)
        for name in PRODUCTS.keys() - set(names):
            shutil.rmtree(registry / name)
        for name in names:
            submit(registry / name, keys, depth)
    done("registry", "build", registry, "--out", out / "site")


def submit(product: Path, keys: Path, depth: str) -> None:
    """The way of one product: challenge, run, certify, check, countersign."""
    private, registrar = keys / product.name, keys / "registrar"
    challenge, report = keys / f"{product.name}.json", keys / f"{product.name}-report"
    dsse.generate(private)
    shutil.copy(keys / f"{product.name}.pub", product / submission.KEY)
    done("challenge", "--key", registrar, "--hours", 1, challenge)
    seed = dsse.claims(json.loads(challenge.read_bytes()))["seed"]
    known = ("--known-failures", product / KNOWN) if (product / KNOWN).is_file() else ()
    with served(subject(product.name), product, keys) as profile:
        options = ("--target", profile, "--depth", depth, "--seed", seed, "--report-dir", report)
        words = [sys.executable, "-m", "conformance", "run", *options, *known]
        subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL)
    certificate = product / submission.CERTIFICATE
    done(
        *("certify", "--report-dir", report, "--key", private, "--challenge", challenge),
        certificate,
    )
    done("registry", "check", product)
    done("verify", "--countersign", registrar, product / submission.SUMMARY, certificate)


def subject(name: str) -> ModuleType:
    """The altered reference of a product."""
    wanted = PRODUCTS[name]
    edits = [each.edits for each in population.shipped() if each.id == wanted]
    return altered.load(edits[0] if edits else ())


@contextmanager
def served(package: ModuleType, product: Path, folder: Path) -> Iterator[Path]:
    """The profile of a reference that is served in a thread, with the product in it."""
    stated = tomllib.loads((product / submission.PRODUCT).read_text(encoding="utf-8"))
    reference, ready = package.Reference(), threading.Event()
    listener = serve.listen("127.0.0.1", 0)
    profile = reference.profile(serve.address(listener))
    profile["product"] = {key: stated[key] for key in ("vendor", "name", "version")}
    path = folder / f"{product.name}.toml"
    serve.write_private(path, target.toml(profile))
    server = serve.server(reference.app, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    ready.wait(10)
    try:
        yield path
    finally:
        server.should_exit = True
        thread.join()
        reference.close()


def done(*words: object) -> None:
    """Run a command of conformance; SystemExit where it fails."""
    code = conformance(list(map(str, words)))
    if code:
        raise SystemExit(f"conformance {' '.join(map(str, words))}: exit code {code}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the example registry and its site.")
    parser.add_argument("out", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--only", choices=PRODUCTS, help="one product (default: all)")
    parser.add_argument("--depth", default="standard", help="depth of the runs")
    chosen = parser.parse_args()
    build(chosen.out, [chosen.only] if chosen.only else list(PRODUCTS), chosen.depth)
