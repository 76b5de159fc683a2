"""The self-test: the suite must fail every mutant of the reference and pass every variant."""
