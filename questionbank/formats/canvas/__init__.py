"""Canvas's packages: QTI 1.2 with Canvas's own types of questions, which New Quizzes take, too."""
