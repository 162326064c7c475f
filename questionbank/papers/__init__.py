"""Test papers as documents: parsed into lines, each with a role, and the questions that the lines make up.

`docs/architecture.md`, "How a paper becomes questions", names the modules in the order in which a document passes them.
"""
