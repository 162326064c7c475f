"""Canvas packages: QTI 1.2 with Canvas's own question types, which New Quizzes accept too."""
