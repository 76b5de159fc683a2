"""What `certify` and `verify` show of a certificate, and what they ask of a live target."""
