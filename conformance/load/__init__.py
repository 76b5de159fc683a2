"""Response times at a stated request rate, beside the verdicts and never part of them."""
