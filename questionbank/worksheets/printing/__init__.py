"""Worksheets on paper and in files: PDF (Typst), Word (pandoc), LaTeX and HTML; see docs/decisions/0091-paper.md."""
