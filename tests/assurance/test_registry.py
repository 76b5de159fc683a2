"""The registry: faults of submissions, the state of certificates, revocations, and the web site."""

import copy
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from certified import Certified, one_replay, quick_runs
from playwright.sync_api import Browser
from securesystemslib.signer import CryptoSigner

from conformance.__main__ import main
from conformance.assurance.certificate import (
    bundle,
    challenge,
    dsse,
    issuing,
    recomputation,
    statement,
    strict_json,
    summary,
)
from conformance.assurance.certificate.evidence import Evidence
from conformance.assurance.registry import rejudging, revocation, site, submission
from conformance.assurance.registry.revocation import NONE
from conformance.assurance.registry.settings import Settings
from conformance.assurance.registry.submission import Submission
from conformance.contract.requirements import CLASSES

PRODUCT = {
    "vendor": "Acme <script>alert(1)</script>",
    "name": "Dub",
    "version": "1.2",
    "website": "https://acme.example",
}
FILE = "".join(f"{key} = {json.dumps(value)}\n" for key, value in PRODUCT.items())
TODAY = date(2027, 1, 1)


@pytest.fixture(autouse=True)
def known_replay(certified: Certified) -> Iterator[None]:
    """Quick runs can be certified, and the replay of the honest recording is known."""
    with quick_runs(), one_replay(certified):
        yield


@pytest.fixture
def folder(certified: Certified, tmp_path: Path) -> Path:
    """A registry with one submission, of the bundled reference."""
    made = tmp_path / "registry" / "acme-dub"
    made.mkdir(parents=True)
    (made / "PRODUCT.toml").write_text(FILE)
    certified.write(made / "certificate.zip")
    (made / "signer.pub").write_bytes(certified.honest.key)
    return made.parent


def claims(certified: Certified) -> dict[str, Any]:
    """The claims of the honest certificate, as if a product had been checked."""
    found = copy.deepcopy(dsse.claims(certified.honest.envelope))
    del found["target"]["reference"]
    return {**found, "product": PRODUCT}


def submitted(certified: Certified, **changes: Any) -> Submission:
    """A submission without a fault, but for these changes."""
    stated = {**claims(certified), **changes}
    return Submission("acme-dub", PRODUCT, stated, "00ff", "00fe", ())


def test_the_reference_is_nobodys_product(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its certificate is valid, and says what it is about."""
    assert main(["registry", "check", "--json", str(folder / "acme-dub")]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["accepted"] is False
    assert shown["faults"][-1].startswith("certificate.zip: it is about the bundled reference")
    assert "the certificate names none ([product] of the profile)" in shown["faults"][0]


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("PRODUCT.toml", b"vendor = 1", "PRODUCT.toml: vendor must be a text"),
        ("PRODUCT.toml", b"owner = 'x'", "PRODUCT.toml: owner is an unknown key"),
        ("PRODUCT.toml", b"website = 'http://x'", "PRODUCT.toml: website must be an address"),
        ("PRODUCT.toml", b'name = "a\\u0007"', "PRODUCT.toml: name has a control character"),
        ("PRODUCT.toml", b"=", "PRODUCT.toml: invalid TOML"),
        ("PRODUCT.toml", None, "PRODUCT.toml: No such file"),
        ("certificate.zip", b"", "certificate.zip is not a certificate"),
        ("certificate.zip", None, "certificate.zip: No such file"),
        ("signer.pub", b"", "the given key: not a public key"),
    ],
)
def test_each_fault_of_a_submission_is_named(
    name: str, content: bytes | None, fault: str, folder: Path
) -> None:
    """A submission may have several."""
    path = folder / "acme-dub" / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    faults = submission.check(folder / "acme-dub").faults
    assert any(each.startswith(fault) for each in faults), faults


def test_a_certificate_of_an_earlier_suite_needs_the_word_of_the_registrar(
    folder: Path, certified: Certified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The registrar signed a summary when its suite could recompute the verdict."""
    dsse.generate(tmp_path / "registrar")
    signer = dsse.private_key(tmp_path / "registrar")
    monkeypatch.setattr("conformance.report.source.digest", lambda: "another build")
    faults = submission.check(folder / "acme-dub").faults
    assert any("no summary.json says that it was verified" in each for each in faults)

    (folder / "registrar.pub").write_bytes(dsse.pem(signer))
    signed = summary.sign(certified.honest, signer, datetime(2027, 1, 1, tzinfo=UTC))
    (folder / "acme-dub" / "summary.json").write_bytes(signed)
    faults = submission.check(folder / "acme-dub").faults
    assert [each for each in faults if "suite" in each or "summary" in each] == []

    (folder / "registrar.pub").write_bytes(certified.honest.key)
    faults = submission.check(folder / "acme-dub").faults
    assert "summary.json: the signature is not from this key" in faults


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "active"),
        ({"expires": "2026-12-31"}, "expired"),
        ({"expires": "2027-01-01"}, "active"),
        ({"started": "2027-01-02T00:00:00+00:00"}, "early"),
    ],
)
def test_a_certificate_expires(changes: dict[str, Any], status: str, certified: Certified) -> None:
    """It holds from the day of its run up to and including the last day."""
    assert submitted(certified, **changes).status(TODAY, NONE) == status


def test_a_revoked_certificate_is_shown_as_such(
    folder: Path, certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The list is signed; verify rejects the certificate, and a list by another key."""
    dsse.generate(tmp_path / "registrar")
    certificate = folder / "acme-dub" / "certificate.zip"
    words = ("revoke", folder, certificate, "--reason", "another build", "--key")
    assert main(["registry", *map(str, words), str(tmp_path / "registrar")]) == 0

    listed, key = folder / "revoked.dsse.json", folder / "registrar.pub"
    options = ("verify", "--revocations", str(listed))
    capsys.readouterr()
    assert main([*options, str(key), str(certificate)]) == 1
    assert "revoked: another build (" in capsys.readouterr().out
    assert main([*options, str(folder / "acme-dub" / "signer.pub"), str(certificate)]) == 4
    assert "the signature is not from this key" in capsys.readouterr().err

    revoked = revocation.read(listed, dsse.public_key(key.read_bytes(), "the registrar"))
    digest = bundle.read(certificate).digest
    found = Submission("acme-dub", PRODUCT, claims(certified), "00", digest, ())
    assert found.status(TODAY, revoked) == "revoked"


def test_a_list_without_a_certificate_says_how_old_it_is(
    folder: Path, certified: Certified, capsys: pytest.CaptureFixture[str]
) -> None:
    """An older list that somebody has kept is signed as well."""
    certificate, listed = folder / "acme-dub" / "certificate.zip", folder / "revoked.dsse.json"
    known = NONE.adding("00", "another", datetime(2026, 1, 2, tzinfo=UTC))
    revocation.write(listed, known, certified.registrar)
    (folder / "registrar.pub").write_bytes(dsse.pem(certified.registrar))
    options = ["verify", "--revocations", str(listed), str(folder / "registrar.pub")]

    main([*options, str(certificate)])
    said = " ".join(capsys.readouterr().out.split())
    assert "NOT REVOKED by a list with 1 certificate, the latest of 2026-01-02:" in said
    main([*options, "--json", str(certificate)])
    found = json.loads(capsys.readouterr().out)["revocations"]
    assert found == {"number": 1, "latest": "2026-01-02"}


def test_a_challenge_that_two_keys_have_answered_counts_for_neither(
    folder: Path, certified: Certified, tmp_path: Path
) -> None:
    """One run could be certified for two products; a registrar names the key, or asks again."""
    other = folder / "other"
    shutil.copytree(folder / "acme-dub", other)
    assert not any("its challenge" in fault for fault in submission.check(other).faults)
    signer = CryptoSigner.generate_ed25519()
    found = issuing.sealed(Evidence(certified.evidence), signer)
    certified.write(other / "certificate.zip", found)
    (other / "signer.pub").write_bytes(dsse.pem(signer))
    (folder / "broken").mkdir()
    (folder / "broken" / "certificate.zip").write_bytes(b"")  # it answers nothing
    alone = {name: each for name, each in certified.evidence.items() if name != challenge.FILE}
    (folder / "unasked").mkdir()
    unasked = issuing.sealed(Evidence(alone), signer)
    certified.write(folder / "unasked" / "certificate.zip", unasked)
    for name in ("acme-dub", "other"):
        faults = submission.check(folder / name).faults
        assert any(
            "its challenge was answered by 2 keys, in acme-dub, other" in each for each in faults
        )
    assert main(["registry", "build", str(folder), "--out", str(tmp_path / "site")]) == 0
    entries = json.loads((tmp_path / "site" / "registry.json").read_bytes())
    assert ["its challenge was answered" in entry["note"] for entry in entries] == [True, True]


def test_a_recording_counts_for_one_submission(folder: Path, certified: Certified) -> None:
    """A certificate is public: a copy of it could stand beside another web site."""
    copied = folder / "copy"
    shutil.copytree(folder / "acme-dub", copied)
    fault = "certificate.zip: its recording is in acme-dub, copy: a run counts for one submission"
    for name in ("acme-dub", "copy"):
        assert fault in submission.check(folder / name).faults
    signer = CryptoSigner.generate_ed25519()
    certified.write(
        copied / "certificate.zip", issuing.sealed(Evidence(certified.evidence), signer)
    )
    (copied / "signer.pub").write_bytes(dsse.pem(signer))
    assert fault in submission.check(copied).faults
    shutil.rmtree(copied)
    faults = submission.check(folder / "acme-dub").faults
    assert not any("its recording" in each for each in faults)


def test_a_list_of_an_earlier_suite_revokes_a_file(
    folder: Path, certified: Certified, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the digests of archives; they stay in the list when another one is added."""
    certificate, listed = folder / "acme-dub" / "certificate.zip", folder / "revoked.dsse.json"
    digest, key = revoked_as_a_file(certificate, listed, certified), folder / "registrar.pub"
    for _ in range(2):
        assert main(["verify", "--revocations", str(listed), str(key), str(certificate)]) == 1
        assert "revoked: old (2026-01-01)" in capsys.readouterr().out
        known = revocation.read(listed, certified.registrar.public_key)
        known = known.adding("00", "another", datetime(2027, 1, 1, tzinfo=UTC))
        revocation.write(listed, known, certified.registrar)
    subjects = {digest: each.subject for digest, each in known.entries.items()}
    assert subjects == {digest: "certificate.zip", "00": "statement"}


def revoked_as_a_file(certificate: Path, listed: Path, certified: Certified) -> str:
    """The digest of a certificate, which a list of an earlier suite now has."""
    digest = bundle.digest(certificate.read_bytes())
    stated = {
        "_type": statement.STATEMENT_TYPE,
        "subject": [{"name": "certificate.zip", "digest": {"sha256": digest}}],
        "predicateType": revocation.EARLIER_TYPE,
        "predicate": {digest: {"reason": "old", "date": "2026-01-01"}},
    }
    listed.write_bytes(strict_json.written(dsse.sign(stated, certified.registrar)))
    listed.with_name("registrar.pub").write_bytes(dsse.pem(certified.registrar))
    return digest


def test_what_takes_the_place_of_a_verified_file_is_not_asked_about(
    folder: Path, certified: Certified, capsys: pytest.CaptureFixture[str]
) -> None:
    """The list is asked about the file that was read."""
    certificate, listed = folder / "acme-dub" / "certificate.zip", folder / "revoked.dsse.json"
    revoked_as_a_file(certificate, listed, certified)
    read = bundle.read

    def replacing(path: Path) -> bundle.Bundle:
        found = read(path)
        path.write_bytes(b"another file")
        return found

    key = str(folder / "registrar.pub")
    with patch.object(bundle, "read", replacing):
        assert main(["verify", "--revocations", str(listed), key, str(certificate)]) == 1
    assert "revoked: old (2026-01-01)" in capsys.readouterr().out


def test_a_revoked_certificate_stays_revoked_whoever_signs_it(
    folder: Path, certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same statement by another key is the revoked one."""
    certificate, listed = folder / "acme-dub" / "certificate.zip", folder / "revoked.dsse.json"
    revoked = NONE.adding(certified.honest.digest, "x", datetime(2027, 1, 1, tzinfo=UTC))
    revocation.write(listed, revoked, certified.registrar)
    key = tmp_path / "registrar.pub"
    key.write_bytes(dsse.pem(certified.registrar))
    again = issuing.sealed(Evidence(certified.evidence), CryptoSigner.generate_ed25519())
    for found in (certified.honest, again):
        certified.write(certificate, found)
        assert main(["verify", "--revocations", str(listed), str(key), str(certificate)]) == 1
        assert "revoked: x" in capsys.readouterr().out


def test_only_the_registrar_revokes_and_only_a_certificate(
    folder: Path, certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another key, or another file, is a usage error, and nothing is written."""
    dsse.generate(tmp_path / "stranger")
    (folder / "registrar.pub").write_bytes(dsse.pem(certified.registrar))
    words = ["--reason", "x", "--key", str(tmp_path / "stranger")]
    certificate, product = (
        folder / "acme-dub" / name for name in ("certificate.zip", "signer.pub")
    )

    assert main(["registry", "revoke", str(folder), str(certificate), *words]) == 4
    assert f"stranger: not the key of {folder / 'registrar.pub'}" in capsys.readouterr().err
    assert main(["registry", "revoke", str(folder), str(product), *words]) == 4
    assert "signer.pub is not a certificate" in capsys.readouterr().err
    assert not (folder / "revoked.dsse.json").exists()


def test_the_site_has_all_that_a_stranger_verifies_with(
    folder: Path, certified: Certified, tmp_path: Path
) -> None:
    """The list of revocations, the keys and the summary, with the command that uses them."""
    revoked = NONE.adding("00", "another build", datetime(2027, 1, 2, tzinfo=UTC))
    revocation.write(folder / "revoked.dsse.json", revoked, certified.registrar)
    (folder / "registrar.pub").write_bytes(dsse.pem(certified.registrar))
    (folder / "acme-dub" / "summary.json").write_text("{}")
    source, out = site.Source(folder, Settings(), TODAY), tmp_path / "site"
    stated = claims(certified)
    asked = stated.pop("challenge")
    shard = {"number": 1, "started": asked["issued"], "finished": asked["deadline"]}
    of_shards = submitted(certified)
    of_shards = replace(of_shards, claims={**stated, "shards": [shard]})
    found = site.entries([of_shards], TODAY, NONE)

    written = site.build(source, out, found)

    page = (out / "acme-dub" / "index.html").read_text()
    named = "signer.pub --revocations revoked.dsse.json registrar.pub --summary summary.json"
    assert f"{named} registrar.pub certificate.zip" in " ".join(page.split())
    assert f"1: {asked['issued']} to {asked['deadline']}" in page
    assert {str(out / name) for name in ("registrar.pub", "revoked.dsse.json")} <= {*written}
    assert 'href="revoked.dsse.json"' in (out / "index.html").read_text()
    (folder / "revoked.dsse.json").unlink()
    site.build(source, out, found)
    assert not (out / "revoked.dsse.json").exists()
    assert "revoked" not in (out / "acme-dub" / "index.html").read_text().partition("<body>")[2]


def test_the_site_is_built_of_every_submission(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rejected ones are on it too, with their faults; the evidence can be downloaded."""
    assert main(["registry", "build", str(folder), "--out", str(tmp_path / "site")]) == 0
    assert capsys.readouterr().out.startswith("rejected ")
    (entry,) = json.loads((tmp_path / "site" / "registry.json").read_bytes())
    assert (entry["status"], entry["product"]["name"]) == ("rejected", "Dub")
    copied = tmp_path / "site" / "acme-dub" / "certificate.zip"
    assert bundle.digest(copied.read_bytes()) == entry["certificate"]


@pytest.mark.parametrize("name", ["registry.json", "index.html", "..x", "\x1b[31mx", "A\nb", "-x"])
def test_the_name_of_a_folder_replaces_nothing_of_the_site(
    name: str, folder: Path, tmp_path: Path
) -> None:
    """The submission is rejected, and the site is built all the same."""
    (folder / "acme-dub").rename(folder / name)
    (folder / name / "certificate.zip").unlink()
    assert main(["registry", "build", str(folder), "--out", str(tmp_path / "site")]) == 0
    (entry,) = json.loads((tmp_path / "site" / "registry.json").read_bytes())
    assert entry["status"] == "rejected"
    assert f"the folder {name!r} needs a name of lower-case letters" in entry["note"]
    folders = [path.name for path in (tmp_path / "site").iterdir() if path.is_dir()]
    assert [each[:9] for each in folders] == ["misnamed-"]


def test_no_folder_has_the_name_that_a_site_gives_to_another(folder: Path, tmp_path: Path) -> None:
    """Each submission keeps a page of its own, whatever another one is called."""
    folder.joinpath("acme-dub").rename(folder / "Acme")
    build = ["registry", "build", str(folder), "--out"]
    assert main([*build, str(tmp_path / "before")]) == 0
    (given,) = (path.name for path in (tmp_path / "before").iterdir() if path.is_dir())
    shutil.copytree(folder / "Acme", folder / given)
    assert main([*build, str(tmp_path / "after")]) == 0
    assert len([path for path in (tmp_path / "after").iterdir() if path.is_dir()]) == 2


def test_failures_and_open_appeals_are_never_silently_green(certified: Certified) -> None:
    """They stand in the matrix, on the badge and in registry.json."""
    contested = submitted(certified, contested={"approval/replay": "appeal 7"})
    classes = {**claims(certified)["classes"], "limits": {"pass": 3, "fail": 1}}
    failing = submitted(
        certified, verdict="non-conformant", failed=["limits/rate"], classes=classes
    )
    one, other = site.entries([contested, failing], TODAY, NONE)
    assert one.cell("approval").endswith(" †")
    assert not one.cell("read").endswith(" †")
    assert one.message == f"active · {one.claims['revision']} · 1 contested"
    assert (other.cell("limits"), other.fails("limits"), other.fails("read")) == (
        "3/4",
        True,
        False,
    )
    assert other.failures == ["limits/rate"]
    assert other.message.endswith("· non-conformant")
    assert (one.shade, other.shade) == ("flawed", "flawed")


def test_the_installed_suite_judges_every_submission_again(
    folder: Path, certified: Certified, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """It names what flips, before a release does; what is not sound is not compared."""
    assert main(["registry", "rejudge", str(folder)]) == 0
    assert capsys.readouterr().out == "same     acme-dub: conformant\n"

    sharper = copy.deepcopy(certified.recomputed.report)
    entry = next(each for each in sharper["requirements"] if each["id"] == "approval/replay")
    entry["verdict"] = "fail"
    again = replace(certified.recomputed, report=sharper)
    monkeypatch.setattr(recomputation, "replay", lambda *_: again)
    monkeypatch.setattr("conformance.report.source.digest", lambda: "the next release")
    assert main(["registry", "rejudge", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "flips    acme-dub",
        "           the verdict was conformant, is non-conformant",
        "           approval/replay was pass, is fail",
    ]

    (folder / "acme-dub" / "signer.pub").write_bytes(dsse.pem(certified.registrar))
    assert main(["registry", "rejudge", "--json", str(folder)]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert found["problems"] == ["the signature is not from this key"]
    (folder / "acme-dub" / "certificate.zip").write_bytes(b"")
    assert "is not a certificate" in rejudged(folder)
    (folder / "acme-dub" / "signer.pub").unlink()
    assert rejudged(folder) == "signer.pub: No such file or directory"


def rejudged(folder: Path) -> str:
    """The problem of the only submission."""
    (found,) = rejudging.rejudge(folder)
    assert not found.is_same
    return found.problems[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("=", "invalid TOML"),
        ("name = 'x'", "name is an unknown key; the keys are title, about, accepts-reference"),
        ("title = 1", "title must be a text"),
        ("accepts-reference = 'yes'", "accepts-reference must be true or false"),
        ('about = "a\\u0007"', "about must be a printable text"),
    ],
)
def test_invalid_settings_of_a_registry_are_named(
    text: str, problem: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A submission is not accepted meanwhile."""
    (folder / "registry.toml").write_text(text)
    assert main(["registry", "build", str(folder), "--out", str(tmp_path / "site")]) == 4
    assert problem in capsys.readouterr().err
    assert any(problem in fault for fault in submission.check(folder / "acme-dub").faults)


def test_a_registry_of_examples_accepts_the_reference(folder: Path) -> None:
    """Its settings say so, and so does its site."""
    (folder / "registry.toml").write_text("accepts-reference = true")
    faults = submission.check(folder / "acme-dub").faults
    assert not any("nobody's product" in fault for fault in faults)


@pytest.mark.browser
def test_the_site_in_a_browser(certified: Certified, tmp_path: Path, browser: Browser) -> None:
    """Texts of vendors are texts, the matrix has every class, and links lead to the evidence."""
    revoked = NONE.adding("00ff", "another build", datetime(2027, 1, 2, tzinfo=UTC))
    found = site.entries([submitted(certified)], TODAY, NONE)
    (tmp_path / "acme-dub").mkdir()
    certified.write(tmp_path / "acme-dub" / "certificate.zip")
    source = site.Source(tmp_path, Settings(about="Only <b>examples</b>."), TODAY)
    site.build(source, tmp_path / "site", found)
    page = browser.new_page()
    page.goto((tmp_path / "site" / "index.html").as_uri())
    headings = page.locator("thead th").all_inner_texts()
    assert headings[6:] == list(CLASSES)
    assert page.locator(".about").inner_text() == "Only <b>examples</b>."
    cells = page.locator("tbody td").all_inner_texts()
    assert cells[:2] == ["active", "conformant"]
    assert cells[5] == found[0].cell("read") != "–"
    page.locator("tbody a").click()
    assert "Acme <script>alert(1)</script> Dub 1.2" in page.locator("h1").inner_text()
    assert page.locator("a[href='certificate.zip']").count() == 1
    assert page.evaluate("document.querySelector('img').naturalWidth") > 100

    found = site.entries([submitted(certified)], TODAY, revoked)
    site.build(source, tmp_path / "site", found)
    page.reload()
    assert "another build (2027-01-02)" in page.locator("main").inner_text()
    assert page.locator(".status").inner_text() == "revoked"
    page.close()
