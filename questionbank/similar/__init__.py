"""What is similar to a question, why, and worked exemplars of it."""
