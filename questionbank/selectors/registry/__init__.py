"""Trained models, how they compare, and the jobs that make them."""
