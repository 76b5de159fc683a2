"""Appeals: what a vendor says against a requirement, as a variant of the reference that runs."""
