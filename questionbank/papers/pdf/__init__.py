"""PDF files with a text layer: positioned characters become lines, mathematics, tables, pictures and paragraphs."""
