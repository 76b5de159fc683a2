"""The tool interface and its parity with HTTP."""
