"""What solvers make of word problems, and the checks and similar problems that need it."""
