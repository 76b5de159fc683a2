"""What a certificate needs to be verified later, without an index of packages."""
