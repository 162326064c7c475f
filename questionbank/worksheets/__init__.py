"""Worksheets: what is printed of a list of questions, in versions, with a key."""
