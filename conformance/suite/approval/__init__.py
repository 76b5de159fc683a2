"""Approvals: reviews, attempts and what is expected of them."""
