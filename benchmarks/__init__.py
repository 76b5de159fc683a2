"""What a run costs, measured against the reference: `python -m benchmarks`."""
