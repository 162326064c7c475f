"""Questions in LaTeX's exam document class."""
