"""Contract test suite and conformance checker for the video-localization client API."""

__version__ = "0.1.0"
