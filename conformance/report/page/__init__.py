"""The parts of the HTML report: template, style, script, and the values that it shows."""
