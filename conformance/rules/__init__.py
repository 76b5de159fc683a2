"""What every exchange of a run is held to, whichever check caused it."""
