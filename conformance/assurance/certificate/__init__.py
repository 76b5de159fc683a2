"""Certificates: signed evidence of a run, verified without the target and without a network."""
