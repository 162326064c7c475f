"""Pictures of questions, and the items from which questions were read."""

from __future__ import annotations

from django.db import models


class Attachment(models.Model):
    """A picture, stored once for all its questions; its file in the storage ``attachments`` is named by its hash.

    The `content` of the questions that show it refers to it, with the name used in their texts.

    Attributes:
        sha256: hash of its bytes, in hexadecimal.
        media_type: detected from the bytes, never from a file name.
        used_at: when it was last stored; the sweep spares recent pictures, because an import may be in progress.
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
    """The item of a file from which a question was read, so that it can be exported unchanged.

    Attributes:
        format: name of the file's format.
        data: the item's bytes, with pictures that became attachments replaced by their hashes.
        preamble: what precedes the item in the file: comments, the category.
        fields: SHA-256 of our fields as originally read.
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
