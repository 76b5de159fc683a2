"""A complete implementation of the API.

It is an executable specification, a sandbox, and the target on which the suite itself is tested.
"""

from conformance.reference.clock import Clock, ManualClock, SystemClock
from conformance.reference.instance import Reference

__all__ = ["Clock", "ManualClock", "Reference", "SystemClock"]
