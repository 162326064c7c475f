"""Worked exemplars of questions, as files have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.analogy.exemplars import Exemplar, ExemplarCorpus
from analytics.analogy.graphs import problem_graph
from analytics.analogy.retriever import Retriever, load_retriever
from analytics.errors import DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, HashedNgramEncoder, OnnxEncoder
from questionbank.errors import ImportRefused, LineProblem, NotFound
from questionbank.files import InputProblem, InputQuestion, read_input_problems
from questionbank.models import ModelArtifact
from questionbank.numbers import whole_number
from questionbank.selectors.models.artifacts import retriever_champion
from questionbank.selectors.serving import retriever_of

__all__ = ["FileCorpus", "read_corpus", "retriever_by_name"]

_DIGITS = 6


def retriever_by_name(model: str, languages: Iterable[str]) -> Retriever | None:
    """The retriever with a number or in a folder; for ``"default"`` the one in use, None where none is yet.

    Args:
        languages: of the problems; for ``"default"`` the retriever of the commonest is chosen.

    Raises:
        NotFound: there is no retriever with this number, and no such folder.
        ArtifactError: the folder holds none.
        ServiceUnavailable: the files of a registered retriever are missing or damaged.
    """
    if model == "default":
        commonest = Counter(languages).most_common(1)
        champion = retriever_champion(commonest[0][0] if commonest else "en")
        return None if champion is None else retriever_of(champion)
    if Path(model).is_dir():
        return load_retriever(Path(model))
    artifact = ModelArtifact.objects.filter(capability="analogy", pk=whole_number(model) or 0).first()
    if artifact is None:
        raise NotFound(
            _("There is no retriever with the number %(number)s, and no folder of that name.")
            % {"number": model}
        )
    return retriever_of(artifact)


def read_corpus(path: Path, report: Callable[[str], object]) -> list[InputProblem]:
    """The problems of a file; lines that cannot be read are told to `report`.

    Raises:
        ImportRefused: the file cannot be read, or holds no problem that can be.
    """
    problems: list[InputProblem] = []
    for entry in read_input_problems(path):
        if isinstance(entry, LineProblem):
            report(f"{path.name}: {entry}")
        else:
            problems.append(entry)
    if not problems:
        raise ImportRefused(_("The corpus %(name)s contains no problems.") % {"name": path.name})
    return problems


class FileCorpus:
    """Problems of a file with their graphs and vectors, among which exemplars are looked for.

    Args:
        problems: at least one.
        encoder: gives the vectors.
        notices: what has to be said to people is added to it.
    """

    def __init__(
        self, problems: Sequence[InputProblem], encoder: Retriever | OnnxEncoder, notices: set[str]
    ) -> None:
        self._ids = [entry.id for entry in problems]
        self._texts = [entry.problem.text for entry in problems]
        self._encoder, self._notices = encoder, notices
        self._graphs: list[str | None] = []
        unreadable = 0
        for entry in problems:
            try:
                graph = problem_graph(entry.problem)
            except DataError:
                graph, unreadable = None, unreadable + 1
            self._graphs.append(None if graph is None else graph.graph)
        if unreadable:
            notices.add(
                ngettext(
                    "%(count)d equation of the corpus cannot be read: its problem has no graph.",
                    "%(count)d equations of the corpus cannot be read: their problems have no graph.",
                    unreadable,
                )
                % {"count": unreadable}
            )
        self._corpus = ExemplarCorpus(self._texts, encoder.encode(self._texts))
        self._by_wording: ExemplarCorpus | None = None

    def exemplars(self, questions: Sequence[InputQuestion], k: int) -> list[dict[str, Any]]:
        """``{"id", "exemplars": [{"id", "score", "graph"}, ...]}`` of each question, the most similar first.

        Neither the question itself nor a copy but for numbers is an exemplar. A question in a script that the
        retriever cannot read is compared by its wording.
        """
        if k > len(self._texts):
            self._notices.add(
                _("The corpus has only %(count)d problems: no question gets more exemplars.")
                % {"count": len(self._texts)}
            )
        texts = [question.text for question in questions]
        strange = [self._encoder.unknown_share([text]) > UNKNOWN_SHARE_LIMIT for text in texts]
        by_row: dict[int, list[Exemplar]] = {}
        for is_strange, find in ((False, self._by_retriever), (True, self._by_words)):
            rows = [row for row, flag in enumerate(strange) if flag is is_strange]
            if rows:
                hits = find([texts[row] for row in rows], k)
                by_row.update(zip(rows, hits, strict=True))
        return [
            {"id": question.id, "exemplars": [self._fields(hit) for hit in by_row[row]]}
            for row, question in enumerate(questions)
        ]

    def _by_retriever(self, texts: Sequence[str], k: int) -> list[list[Exemplar]]:
        return self._corpus.retrieve(texts, self._encoder.encode(texts), k)

    def _by_words(self, texts: Sequence[str], k: int) -> list[list[Exemplar]]:
        self._notices.add(
            _("Some questions are in a script that the retriever cannot read: they are compared by wording.")
        )
        encoder = HashedNgramEncoder()
        if self._by_wording is None:
            self._by_wording = ExemplarCorpus(self._texts, np.asarray(encoder.encode(self._texts)))
        return self._by_wording.retrieve(texts, np.asarray(encoder.encode(texts)), k)

    def _fields(self, hit: Exemplar) -> dict[str, Any]:
        return {"id": self._ids[hit.row], "score": round(hit.score, _DIGITS), "graph": self._graphs[hit.row]}
