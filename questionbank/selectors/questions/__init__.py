"""Questions and concepts: what they compute, where they lie on the map, how they were changed."""
