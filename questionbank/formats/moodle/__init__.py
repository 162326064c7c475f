"""Moodle's question formats: its XML, and the short forms of its cloze questions."""
