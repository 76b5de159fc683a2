"""Certificates that earlier builds have made stay readable, sealed, and verifiable.

`tests/support/keep_certificate.py` keeps one of each release. Its verdict can be recomputed by the
build that made it alone; everything else is checked here, by every later build.
"""

import tarfile
from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.assurance.certificate import archive, bundle, dsse
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.verification import verify

KEPT = sorted((Path(__file__).parent / "certificates").glob("*.tar.xz"))


@pytest.fixture(params=KEPT, ids=lambda path: path.name.removesuffix(".tar.xz"))
def certificate(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A kept certificate in the form in which it was issued."""
    path = tmp_path / "kept.zip"
    files = {}
    with tarfile.open(request.param) as kept:
        for member in kept:
            content = kept.extractfile(member)
            assert content is not None
            files[member.name] = content.read()
    path.write_bytes(archive.packed(files))
    return path


def test_a_certificate_is_kept() -> None:
    """Otherwise the other tests would check nothing."""
    assert KEPT != []


def test_a_kept_certificate_is_sound(certificate: Path) -> None:
    """Signature, digests and statement fit; another build made it, or this one recomputes it."""
    found = bundle.read(certificate)
    verification = verify(found, found.key)
    assert verification.problems == ()
    claims = dsse.claims(found.envelope)
    assert (claims["verdict"], claims["result"]) == ("conformant", "PASSED")


def test_a_kept_certificate_that_is_altered_is_rejected(certificate: Path) -> None:
    """No replay is needed for that."""
    found = bundle.read(certificate)
    files = dict(found.evidence)
    files["report.json"] = files["report.json"].replace(b'"conformant"', b'"conformant "', 1)
    altered = Bundle(files, found.envelope, found.key)
    assert verify(altered, None).problems == ("report.json is not the signed one",)


def test_the_environment_of_then_is_offered(
    certificate: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands install the packages of then into a folder of their own."""
    monkeypatch.setattr("conformance.report.source.digest", lambda: "another build")
    assert main(["verify", str(certificate)]) == 1
    shown = capsys.readouterr().out
    assert "NOT RECOMPUTED" in shown
    assert "uv pip install --python then localization-api-conformance==" in shown
