"""The published description: an OpenAPI document of somebody else, compared with the contract by its meaning."""
