"""The checker checked: mutants of the reference that must turn red, and variants of it that must stay green."""
