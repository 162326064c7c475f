"""Spreadsheets: Excel workbooks (read and written) and OpenDocument workbooks (read)."""
