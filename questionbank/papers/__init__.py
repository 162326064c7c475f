"""Test papers as documents: parsed into lines, each with a role, and the questions that the lines make up."""
