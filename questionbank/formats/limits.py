"""Limits on the contents of files, so that no file can exhaust memory, disk or index."""

from __future__ import annotations

LINES_LIMIT = 50_000_000  # including blank lines: an empty one costs a byte to send and a step to read
BLANK_LINES_LIMIT = 100_000  # consecutive; a sheet saved with all its empty rows has long gaps between filled ones
COLUMNS_LIMIT = 1_000
ANSWER_LIMIT = 10_000  # characters, here and below
OPTION_TEXT_LIMIT = 10_000
CONTENT_LIMIT = 500_000
EQUATION_LIMIT = 5_000
ID_LIMIT = 200
SET_LIMIT = 120
LANGUAGE_LIMIT = 12
GRADE_LIMIT = 40
STAGE_LIMIT = 80
LABEL_LIMIT = 20
CONCEPT_NAME_LIMIT = 300
HEADING_LIMIT = 200  # of a section

OPTIONS_LIMIT = 26  # items, here and below
CONCEPTS_LIMIT = 50
CONCEPT_DEPTH_LIMIT = 30
NUMBERS_LIMIT = 1_000
POINTS_LIMIT = 10_000
RESPONSES_LIMIT = 2_147_483_647  # of the database column
