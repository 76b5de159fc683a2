"""Why the checker and its reports can be trusted: the self-test and certificates."""
