"""How a served reference names itself, so that nobody takes it for a product."""

SERVER = "localization-api-conformance-reference"
"""The `server` header of its responses."""
