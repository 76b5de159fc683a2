"""Keeps a certificate for later releases: `keep_certificate.py REPORT_DIR NAME`.

The key is thrown away. A quick run is enough, and takes a quarter of a megabyte.
"""

import io
import sys
import tarfile
import tempfile
from pathlib import Path

import certified
from securesystemslib.signer import CryptoSigner

from conformance.assurance.certificate import issuing

FOLDER = Path(__file__).parents[1] / "assurance" / "certificates"


def main(report: Path, name: str) -> None:
    """Certify a report, and write the files of the certificate as small as they can be."""
    with certified.quick_runs():
        found = issuing.issued(report, certified.REVISION, CryptoSigner.generate_ed25519())
    with tempfile.TemporaryDirectory() as folder:
        path = certified.write(Path(folder) / "certificate.zip", found)
        files = certified.unpacked(path)
    with tarfile.open(FOLDER / f"{name}.tar.xz", "w:xz", preset=9) as archive:
        for member, content in files.items():
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
