"""Files: written fresh and through no link, read within bounds, and JSON with one meaning."""
