"""Search: parsing queries, filters and their counts, ranking, and nearest-neighbour queries."""
