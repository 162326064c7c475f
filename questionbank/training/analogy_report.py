"""A report on the bank's equations for admins, before a retriever of analogous problems is trained on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from analytics.analogy.capability import ANALOGY
from analytics.analogy.config import AnalogyConfig
from analytics.catalog import main_lens
from analytics.inference.vocabulary import UNKNOWN_SHARE_LIMIT
from questionbank.core.wording import counted
from questionbank.models import EmbeddingSet, QuestionEquation, QuestionSolution
from questionbank.registry.model_selectors import SMALLEST_SUITE
from questionbank.training.analogy_material import AnalogyMaterial, analogy_material, predicted_problems
from questionbank.training.data_report import KeptReport

FEWEST = 500  # problems with a positive; with fewer a retriever learns little


@dataclass(frozen=True, slots=True)
class LanguageProblems:
    """Problems of a language; `unknown_share` of its tokens is None if not measured.

    Attributes:
        problems: problems with an equation.
        learned: problems of the training part, including those dropped because they have no positive.
        with_positive: training problems whose graph another one shares, in any language.
    """

    language: str
    problems: int
    learned: int
    with_positive: int
    unknown_share: float | None

    @property
    def dropped(self) -> int:
        """The number of training problems whose graph no other one shares."""
        return self.learned - self.with_positive

    @property
    def known(self) -> bool:
        """Whether the encoder knows the language well enough to be trained on it."""
        return self.unknown_share is None or self.unknown_share <= UNKNOWN_SHARE_LIMIT


@dataclass(frozen=True, slots=True)
class AnalogyReport:
    """Counts of the data for training a retriever.

    Attributes:
        with_positive: problems to train on: another one has the same graph.
        without_positive: problems that are dropped because no other one has their graph.
        graphs: different graphs among the problems to train on.
        validation: problems that evaluate the model during training.
        held_out: problems excluded from every training, to compare retrievers on.
        left_out: problems that match a validation or held-out problem except for numbers and punctuation.
        predicted: questions without an equation that the solver solved; used for training only if requested.
    """

    ready: int
    with_equation: int
    by_people: int
    with_positive: int
    without_positive: int
    graphs: int
    validation: int
    held_out: int
    left_out: int
    without_graph: int
    repeated: int
    test_items: int
    predicted: int
    languages: tuple[LanguageProblems, ...]
    advice: tuple[str, ...]


def _report(hierarchies: Sequence[str] | None) -> AnalogyReport:
    shares = _unknown_shares()
    unknown = [language for language, share in shares.items() if share > UNKNOWN_SHARE_LIMIT]
    material = analogy_material(hierarchies=hierarchies, left_out=unknown)
    learned = material.problems.learned
    counts = Counter(entry.graph_key for entry in learned)
    paired = [entry for entry in learned if counts[entry.graph_key] > 1]
    return AnalogyReport(
        ready=material.ready,
        with_equation=material.with_equation,
        by_people=QuestionEquation.objects.filter(set_by=QuestionEquation.SetBy.PERSON).count(),
        with_positive=len(paired),
        without_positive=len(learned) - len(paired),
        graphs=sum(count > 1 for count in counts.values()),
        validation=len(material.problems.validation),
        held_out=len(material.problems.held_out),
        left_out=material.problems.left_out,
        without_graph=material.without_graph,
        repeated=material.repeated,
        test_items=material.test_items,
        predicted=predicted_problems(),
        languages=_languages(
            material.languages,
            Counter(entry.problem.language for entry in learned),
            Counter(entry.problem.language for entry in paired),
            shares,
        ),
        advice=tuple(_advice(material, len(paired))),
    )


def _languages(
    problems: Mapping[str, int],
    learned: Mapping[str, int],
    with_positive: Mapping[str, int],
    shares: Mapping[str, float],
) -> tuple[LanguageProblems, ...]:
    return tuple(
        LanguageProblems(language, count, learned[language], with_positive[language], shares.get(language))
        for language, count in Counter(problems).most_common()
    )


def _unknown_shares() -> Mapping[str, float]:
    """Return the share of each language's tokens that the retriever in use does not know.

    Before there is a retriever, that of the encoder.
    """
    words = [ANALOGY.lens.word, main_lens().word]
    in_use = {row.lens: row for row in EmbeddingSet.objects.filter(lens__in=words, scope="", is_current=True)}
    measured = [in_use[word].unknown_shares for word in words if word in in_use]
    return next((shares for shares in measured if shares), {})


def _advice(material: AnalogyMaterial, paired: int) -> list[str]:
    advice = []
    batch = AnalogyConfig().batch_size
    if paired < batch:
        advice.append(
            f"A training needs at least {batch} problems that share a graph with another problem; {batch - paired}"
            " are missing. Accept equations, or import more."
        )
    elif paired < FEWEST:
        advice.append(
            f"With fewer than {FEWEST} problems that share a graph with another problem, a retriever learns"
            f" little; {FEWEST - paired} are missing. Accept equations, or import more."
        )
    if len(material.problems.held_out) < SMALLEST_SUITE:
        held_out = counted(len(material.problems.held_out), "held-out question has", "held-out questions have")
        advice.append(f"Only {held_out} an equation; two retrievers cannot be compared on fewer than {SMALLEST_SUITE}.")
    if material.foreign:
        unknown = "in a language that the encoder does not know, and"
        advice.append(
            counted(material.foreign, f"problem is {unknown} is left out.", f"problems are {unknown} are left out.")
        )
    if material.without_graph:
        one = "equation cannot be read or computes nothing, and is left out."
        several = "equations cannot be read or compute nothing, and are left out."
        advice.append(counted(material.without_graph, one, several))
    return advice


def _versions() -> list[str]:
    equations = QuestionEquation.objects.aggregate(
        count=Count("pk"),
        people=Count("pk", filter=Q(set_by=QuestionEquation.SetBy.PERSON)),
        graphs=Count("graph_key", distinct=True),
    )
    solutions = QuestionSolution.objects.aggregate(count=Count("pk"), last=Max("solved_at"))
    return [str(equations), str(solutions), str(sorted(_unknown_shares().items()))]


# The data that a retriever would be trained on.
analogy_data_report: KeptReport[AnalogyReport] = KeptReport("analogy", _report, _versions)
