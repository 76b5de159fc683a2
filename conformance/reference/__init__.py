"""A complete implementation of the API: an executable specification, a sandbox, and the target that the suite itself is tried on."""

from conformance.reference.clock import Clock, ManualClock, SystemClock
from conformance.reference.instance import Reference

__all__ = ["Clock", "ManualClock", "Reference", "SystemClock"]
