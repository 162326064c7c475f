"""The map of the bank: where each question lies on a plane."""

from __future__ import annotations

from django.db import models


class Projection(models.Model):
    """The coordinates of all questions of one embedding set, in two arrays and not a row a question.

    The page reads all of them at once or none, so rows of their own would only cost time. Written whole when
    a job has finished; rolling back to a former set brings its map back.
    """

    class Method(models.TextChoices):
        TSNE = "tsne", "t-SNE"
        PCA = "pca", "principal components"

    embedding_set = models.OneToOneField(
        "questionbank.EmbeddingSet", on_delete=models.CASCADE, related_name="projection"
    )
    method = models.CharField("method", max_length=8, choices=Method.choices)
    settings = models.JSONField("settings", default=dict, blank=True)
    questions = models.PositiveIntegerField("questions")
    question_ids = models.BinaryField()  # little-endian uint32, ascending
    coordinates = models.BinaryField()  # little-endian uint16, x and y of each; 0 .. 65535 is -1 .. 1
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = "map"
        verbose_name_plural = "maps"

    def __str__(self) -> str:
        return f"{self.embedding_set}: {self.get_method_display()}"
