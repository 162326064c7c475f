"""A third language that the tests add: this folder, and its row in `analytics.languages`."""
