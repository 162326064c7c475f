"""Models, what they learn from, how they compare, and the jobs that make them."""
