"""Questions in LaTeX: the class exam, and Auto Multiple Choice (AMC)."""
