"""One run of a fleet as a job: what it is told, how it is performed, what it returns."""
