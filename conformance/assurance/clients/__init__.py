"""A client of the contract, and the edits that make faulty and unusual ones of it."""
