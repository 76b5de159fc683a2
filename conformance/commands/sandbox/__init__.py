"""The served reference as a sandbox: slow, failing, limited, open to browsers, with a log."""
