"""QTI 2.1, 2.2 and 3.0 (1EdTech): one reader and one writer, driven by a table of versions."""
