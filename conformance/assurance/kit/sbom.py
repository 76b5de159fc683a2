"""The wheels of a kit as a software bill of materials: CycloneDX 1.6, in JSON."""

from collections.abc import Sequence
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from conformance.assurance.certificate.environment import PACKAGE
from conformance.assurance.kit.wheels import Wheel


def text(wheels: Sequence[Wheel], certificate: str, moment: datetime) -> str:
    """The document, the same for the same wheels and certificate; `certificate` is its digest."""
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, f"urn:sha256:{certificate}"))
    bom.metadata.timestamp = moment
    for wheel in wheels:
        component = _component(wheel)
        if wheel.name == PACKAGE:
            bom.metadata.component = component
        else:
            bom.components.add(component)
    if bom.metadata.component is not None:
        bom.register_dependency(bom.metadata.component, bom.components)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _component(wheel: Wheel) -> Component:
    is_suite = wheel.name == PACKAGE
    return Component(
        name=wheel.name,
        version=wheel.version,
        type=ComponentType.APPLICATION if is_suite else ComponentType.LIBRARY,
        purl=PackageURL("pypi", None, wheel.name, wheel.version),
        bom_ref=f"{wheel.name}=={wheel.version}",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=wheel.digest)],
    )
