"""The registry: a folder of submissions, each a product with its certificate, and its web site."""
