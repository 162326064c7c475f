"""Questions and concepts: what they compute, what is predicted of them, how they were changed."""
