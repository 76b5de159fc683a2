"""A published OpenAPI document compared with the contract."""
