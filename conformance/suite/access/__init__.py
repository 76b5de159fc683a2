"""Who may do what: a matrix of callers, records, operations and ways to ask for them."""
