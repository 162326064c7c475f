"""Responses of pupils: files of them, their figures, and the pages that show these."""
