"""The lists of a target, their pagination, and the records that they show."""
