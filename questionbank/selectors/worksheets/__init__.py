"""Reading worksheets: their rows, what is printed of them, the mark to expect, and what they can be filled up with."""
