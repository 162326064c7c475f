"""The home page's counts of the whole bank, and the first level of each hierarchy for browsing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache

from analytics.languages import UNDETERMINED
from questionbank.bank.concept_selectors import ConceptNode, concept_tree, hierarchies
from questionbank.bank.facet_counts import facet_cube
from questionbank.jobs.run_selectors import runs
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, Run, User
from questionbank.models.visibility import viewer_audiences

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BankOverview:
    """Counts of the whole bank."""

    questions: int
    concepts: int
    observed: int
    languages: int

    @property
    def is_empty(self) -> bool:
        return self.questions == 0


def bank_overview() -> BankOverview:
    """Return the counts of everything not retired, from the counts that triggers maintain (`FacetCount`)."""
    cube = facet_cube()
    present = cube.everything() & ~cube.equal("status", Question.Status.RETIRED)
    observed = Question.objects.filter(responses__gt=0).exclude(status=Question.Status.RETIRED)
    return BankOverview(
        questions=cube.total(present),
        concepts=KnowledgeConcept.objects.count(),
        observed=observed.count(),
        languages=sum(count > 0 for code, count in cube.by_value("language", present) if code != UNDETERMINED),
    )


def recent_questions() -> list[Question]:
    """Return the questions added most recently."""
    return list(Question.objects.filter(status=Question.Status.READY).order_by("-pk")[:_SHOWN])


def drafts_of(*, user: User) -> list[Question]:
    """Return the person's own drafts, most recently changed first."""
    drafts = Question.objects.filter(created_by=user, status=Question.Status.DRAFT)
    return list(drafts.order_by("-updated_at")[:_SHOWN])


def running_jobs() -> list[Run]:
    """Return the queued and running jobs."""
    return list(runs().filter(state__in=[Run.State.QUEUED, Run.State.RUNNING])[:3])


GROUPS_SHOWN = 6
STRANDS_SHOWN = 24
KEPT_SECONDS = 60
CACHE_KEY = "bank-strands"


@dataclass(frozen=True, slots=True)
class Strand:
    """A concept to browse by, with the number of its ready questions."""

    id: int
    name: str
    questions: int


@dataclass(frozen=True, slots=True)
class StrandGroup:
    """The strands of one hierarchy."""

    hierarchy: KnowledgeHierarchy
    strands: tuple[Strand, ...]


def strands() -> list[StrandGroup]:
    """Return groups of strands, the hierarchy with the most questions first; cached for a minute for each audience."""
    key = f"{CACHE_KEY}:{viewer_audiences()}".replace(" ", "")
    cached: list[StrandGroup] | None = cache.get(key)
    if cached is not None:
        return cached
    groups = [StrandGroup(hierarchy, tuple(_strands(concept_tree(hierarchy=hierarchy)))) for hierarchy in hierarchies()]
    groups = [group for group in groups if group.strands]
    groups.sort(key=lambda group: -sum(strand.questions for strand in group.strands))
    if groups:
        cache.set(key, groups[:GROUPS_SHOWN], KEPT_SECONDS)
    return groups[:GROUPS_SHOWN]


def _strands(nodes: Sequence[ConceptNode]) -> list[Strand]:
    """Return the strands; leading nodes that every question shares are skipped, as they carry no information."""
    while len(nodes) == 1 and nodes[0].children and not nodes[0].own_questions:
        nodes = nodes[0].children
    used = [node for node in nodes if node.questions]
    return [Strand(node.id, node.name, node.questions) for node in used[:STRANDS_SHOWN]]
