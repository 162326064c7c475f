"""Spreadsheets: workbooks of Excel (read and written) and of OpenDocument (read)."""
