"""Test papers that are documents: read as lines, each line with a role, and the questions that the lines make."""
