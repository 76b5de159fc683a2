"""The causes of failures: what one defect violates, and where in the responses it is."""
