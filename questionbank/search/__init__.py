"""Search: what is asked for, the filters and their counts, ranking, and the query for nearest vectors."""
