"""A second judge of a recorded run: code that shares the contract files with the suite, no more.

It was written from the specification, without the rules of the suite, so that one mistake cannot
hide in both. It sends nothing; what a history alone cannot decide is not judged by it.
"""
