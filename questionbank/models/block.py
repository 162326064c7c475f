"""Bulk work in blocks, which any worker takes, does and hands in."""

from __future__ import annotations

from django.db import models


class WorkBlock(models.Model):
    """A range of ids of one job, such as the questions 1 to 700 whose vectors are missing.

    A worker claims a block with a lease that it renews; when the lease has run out, another worker may claim it. Only
    the holder's result is stored, in the transaction that finishes the block. `questionbank.services.blocks` alone
    writes this table. A turn, which one process has at a time, is a job of a single block that never finishes.
    """

    job = models.CharField(max_length=120)
    first = models.BigIntegerField(default=0)
    last = models.BigIntegerField(default=0)
    size = models.PositiveIntegerField(default=0)  # rows to work on when the block was planned
    done = models.PositiveIntegerField(null=True)  # rows that a result was stored for; None: not finished
    holder = models.UUIDField(null=True)
    until = models.DateTimeField(null=True)  # by the database's clock

    class Meta:
        verbose_name = "block of work"
        verbose_name_plural = "blocks of work"
        constraints = (models.UniqueConstraint(fields=("job", "first"), name="one_block_a_job_and_start"),)

    def __str__(self) -> str:
        return f"{self.job}: {self.first} to {self.last}"
