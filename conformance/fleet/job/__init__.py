"""One run of a fleet as a job: its input, its execution, and its result."""
