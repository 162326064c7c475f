"""Moodle's question formats: Moodle XML, GIFT, Aiken and Cloze."""
