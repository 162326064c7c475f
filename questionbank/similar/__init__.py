"""Similar questions, the reasons for similarity, and worked exemplars."""
