"""Pictures of questions, and the items that questions were read from."""

from __future__ import annotations

from django.db import models


class Attachment(models.Model):
    """A picture, kept once however many questions show it: its file bears its hash in the storage ``attachments``.

    The `content` of questions says which of them show it, with the name by which their texts call it.

    Attributes:
        sha256: of its bytes, in hexadecimal.
        media_type: read from the bytes, never from a name.
        used_at: when it was last put in; the sweep leaves young ones alone, for an import may be under way.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    media_type = models.CharField("media type", max_length=40)
    size = models.PositiveIntegerField("bytes")
    width = models.PositiveIntegerField("width in pixels")
    height = models.PositiveIntegerField("height in pixels")
    used_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256


class QuestionOriginal(models.Model):
    """The item of a file that a question was read from, so that it goes back as it came.

    Attributes:
        format: the name of the file's format.
        data: the item's bytes, with the pictures that became attachments replaced by their hashes.
        preamble: what stood before it in the file: comments, the category.
        fields: SHA-256 of our fields as they were read.
    """

    question = models.OneToOneField(
        "questionbank.Question", primary_key=True, on_delete=models.CASCADE, related_name="original"
    )
    format = models.CharField(max_length=20)
    data = models.BinaryField()
    preamble = models.BinaryField(default=b"")
    fields = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return f"{self.question_id}: {self.format}"
