"""PDF files with a text layer: characters with boxes become lines, mathematics, tables, pictures and paragraphs."""
