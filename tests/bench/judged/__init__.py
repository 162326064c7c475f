"""Judged queries on a bank of real questions: relevant ids chosen by reading, before the ranking was changed."""
