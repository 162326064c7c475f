"""Question files: file -> records -> file, in pure functions that do not touch the database."""

from questionbank.formats.catalog import FORMATS, WRITTEN, read, write
from questionbank.formats.concept_rows import ConceptRow, resolve_concept_rows
from questionbank.formats.seam import Entry, Format

__all__ = ["FORMATS", "WRITTEN", "ConceptRow", "Entry", "Format", "read", "resolve_concept_rows", "write"]
