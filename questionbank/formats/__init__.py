"""Question files: file -> records -> file, in pure functions that do not touch the database."""

from questionbank.formats.catalog import FORMATS, WRITTEN, read, write
from questionbank.formats.seam import ConceptRow, Entry, Format, resolve_concept_rows

__all__ = ["FORMATS", "WRITTEN", "ConceptRow", "Entry", "Format", "read", "resolve_concept_rows", "write"]
