"""Vectors of questions: one set per model version and lens, replaced as a whole, and the map drawn from a set."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField


class EmbeddingSet(models.Model):
    """All vectors of one encoder for one lens.

    A new version's set is built while the old one is in use; making it current is one update inside the
    transaction that promotes its model.
    """

    class State(models.TextChoices):
        BUILDING = "building", "Building"
        READY = "ready", "Ready"
        RETIRED = "retired", "Retired"

    lens = models.CharField("lens", max_length=12)  # from `analytics.catalog.lenses`
    artifact = models.ForeignKey(  # empty for the character n-grams, which have no weights
        "questionbank.ModelArtifact", null=True, blank=True, on_delete=models.PROTECT, related_name="embedding_sets"
    )
    # the language of its model; empty: every language that its encoder knows and that has no set of its own
    scope = models.CharField("scope", max_length=300, blank=True)
    encoder_name = models.CharField("encoder", max_length=120)
    dimension = models.PositiveIntegerField("dimension")
    state = models.CharField("state", max_length=10, choices=State.choices, default=State.BUILDING)
    is_current = models.BooleanField("in use", default=False)
    # {language: share of tokens unknown to the encoder}; decides which languages the set serves
    unknown_shares = models.JSONField(default=dict, blank=True)
    recall = models.JSONField(null=True, blank=True)  # last measured {k, recall, queries, measured_at}
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "embedding set"
        verbose_name_plural = "embedding sets"
        constraints = (
            models.UniqueConstraint(
                fields=("lens", "scope"),
                condition=Q(is_current=True),
                name="one_current_embedding_set_a_lens_and_scope",
            ),
        )

    def __str__(self) -> str:
        return f"{self.lens}: {self.encoder_name}"

    @property
    def word(self) -> str:
        """The lens, followed by the scope if there is one: ``structure/zh``."""
        return f"{self.lens}/{self.scope}" if self.scope else self.lens

    @property
    def index_name(self) -> str:
        """Name of the set's partial HNSW index."""
        return f"embedding_hnsw_{self.pk}"

    @property
    def job_name(self) -> str:
        """Job name of the blocks in which its vectors are computed."""
        return f"vectors/{self.pk}"


class QuestionEmbedding(models.Model):
    """One question's vector in one set; `content_hash` shows whether it is out of date.

    The hash covers everything that the question asks, and so everything in its analysed text.

    A row without a vector means that the set's lens does not compare the question; it is not processed again.
    """

    embedding_set = models.ForeignKey(EmbeddingSet, on_delete=models.CASCADE, related_name="embeddings")
    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="embeddings")
    vector = HalfVectorField(null=True, blank=True)  # no dimensions here: each set has its own, and its index casts
    content_hash = models.BinaryField(max_length=32)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("embedding_set", "question"), name="one_embedding_a_question_and_set"),
        )

    def __str__(self) -> str:
        return f"{self.embedding_set_id}/{self.question_id}"


class Projection(models.Model):
    """The coordinates of all questions of one embedding set, stored as two arrays rather than one row per question.

    The page reads either all of them or none, so separate rows would only cost time. It is written as a whole when
    a job has finished; rolling back to an earlier set restores its map.
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
    coordinates = models.BinaryField()  # little-endian uint16, x and y of each; 0..65535 represents -1..1
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.embedding_set}: {self.get_method_display()}"
