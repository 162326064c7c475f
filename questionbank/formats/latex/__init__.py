"""Questions in LaTeX, in the class exam."""
