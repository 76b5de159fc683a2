"""What one defect broke, and where in the response it shows."""
