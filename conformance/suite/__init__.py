"""The checks, one file a conformance class. Run with pytest; collected by `conformance run`."""
