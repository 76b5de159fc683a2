"""What the HTML report is made of: its template, its style, its script, and the values that the template shows."""
