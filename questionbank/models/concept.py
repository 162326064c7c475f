"""Knowledge hierarchies and their concepts."""

from __future__ import annotations

import pghistory
import pgtrigger
from django.db import models
from treebeard.mp_tree import MP_Node


@pghistory.track(
    pghistory.InsertEvent(condition=pgtrigger.Q(new__import_run__isnull=True)),
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    exclude=["import_run"],
)
class KnowledgeHierarchy(models.Model):  # type: ignore[django-manager-missing]  # treebeard's manager is untyped
    """A tree of concepts from one authority; a bank may have several.

    The KH-distance between questions in two hierarchies is the maximum, so a hierarchy is never
    split or joined silently.

    Attributes:
        is_default: whether an admin chose it as the bank's default; if no row has this set, the oldest hierarchy is the
            default (`questionbank.bank.concept_selectors`).
        import_run: the import that created the hierarchy; empty if a person did.
    """

    name = models.CharField("name", max_length=200, unique=True)
    description = models.TextField("description", blank=True)
    is_default = models.BooleanField("default of the bank", default=False)
    import_run = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=("is_default",), condition=models.Q(is_default=True), name="one_default_hierarchy"
            ),
        )

    def __str__(self) -> str:
        return self.name


@pghistory.track(
    pghistory.InsertEvent(condition=pgtrigger.Q(new__import_run__isnull=True)),
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    exclude=["numchild", "import_run"],
)
class KnowledgeConcept(MP_Node):
    """One concept; `depth` counts from 1 at the root. Siblings have distinct names.

    Attributes:
        import_run: the import that created the concept; empty if a person did.
    """

    hierarchy = models.ForeignKey(KnowledgeHierarchy, on_delete=models.CASCADE, related_name="concepts")
    name = models.CharField("name", max_length=300)
    import_run = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    node_order_by = None

    class Meta:
        indexes = (models.Index(fields=("hierarchy", "name"), name="concept_hierarchy_name"),)

    @classmethod
    def prefixes(cls, path: str) -> list[str]:
        """Return the paths of a concept's ancestors from the root down, followed by its own."""
        return [path[:end] for end in range(cls.steplen, len(path) + 1, cls.steplen)]

    def __str__(self) -> str:
        return self.name
