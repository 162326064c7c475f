"""Lists of questions that people collect, order, print and share."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class QuestionList(models.Model):
    """A person's list of questions; a shared list can be read by everybody in the school who has its link.

    Attributes:
        instructions: of the paper that it was made from, for worksheets made from the list.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="question_lists"
    )
    name = models.CharField("name", max_length=120)
    instructions = models.TextField("instructions", blank=True)
    is_shared = models.BooleanField("shared inside the school", default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "list of questions"
        verbose_name_plural = "lists of questions"
        ordering = ("-updated_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("owner", "name"), name="one_list_a_person_and_name"),)

    def __str__(self) -> str:
        return self.name


class QuestionListItem(models.Model):
    """A question's place in a list, counted from 1.

    Attributes:
        points: that the list's paper gives; None for what the question says itself. Likewise `heading` and
            `instructions` of its section: papers may share a question.
    """

    question_list = models.ForeignKey(QuestionList, on_delete=models.CASCADE, related_name="items")
    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="list_items")
    position = models.PositiveIntegerField()
    points = models.FloatField("points", null=True, blank=True)
    heading = models.CharField("heading", max_length=200, blank=True)
    instructions = models.TextField("instructions", blank=True)

    class Meta:
        verbose_name = "question in a list"
        verbose_name_plural = "questions in lists"
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("question_list", "question"), name="question_once_a_list"),
            models.UniqueConstraint(
                fields=("question_list", "position"),
                name="one_question_a_place_in_a_list",
                deferrable=models.Deferrable.DEFERRED,
            ),
        )

    def __str__(self) -> str:
        return f"{self.question_list_id}.{self.position}: {self.question_id}"
