"""The probable concepts and difficulty of a question, with the evidence for them.

Every prediction is made in one hierarchy: its probes answer if they can read the question, otherwise its nearest
labelled questions vote, and the notice gives the reason. Questions of other hierarchies and their difficulty scales
play no part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from django.db.models import Exists, OuterRef

from analytics.catalog import main_lens
from analytics.inference.heads import Prediction
from analytics.inference.subject import NOT_MATHEMATICS, looks_like_mathematics
from analytics.languages import detect_language, primary_language
from analytics.probes.order import LANGUAGE
from analytics.records import ConceptPath
from questionbank.bank.concept_selectors import named_paths
from questionbank.bank.question_selectors import concept_paths
from questionbank.bank.vector_selectors import nearest, vectors_of
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.formats.scales import scale_percent, scale_value
from questionbank.models import EmbeddingSet, KnowledgeConcept, KnowledgeHierarchy, Question, QuestionTag
from questionbank.registry.model_selectors import why_no_probes
from questionbank.registry.serving import ServedProbes, Serving, serving
from questionbank.responses.figures import Expected

TOP_CONCEPTS = 5
NEIGHBOURS = 10
_READ_AT_ONCE = NEIGHBOURS + 2  # one of them is often the question itself
_READ_BY_MODEL = 500  # at once
NOT_READ = ("description", "opaque")  # kinds whose text does not state a task
_FEWEST_VOTES = 3  # with fewer labelled neighbours, no difficulty is estimated from them

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PredictedConcept:
    """A whole path, its probability, and the id of its concept if the bank has it."""

    path: ConceptPath
    probability: float
    concept_id: int | None = None


@dataclass(frozen=True, slots=True)
class PredictedDifficulty:
    """An estimate on its original scale and in per cent.

    Attributes:
        coverage: share of held-out questions whose difficulty lay in the interval; None if the interval is only the
            spread of the nearest labelled questions.
        middle_percent: the interval that holds half of such questions; None if not known.
    """

    value: float
    low: float
    high: float
    scale: str
    percent: float
    low_percent: float
    high_percent: float
    coverage: float | None
    middle_percent: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class LabelledNeighbour:
    """A nearby question with a known concept or difficulty: evidence for an estimate."""

    question: Question
    score: float
    concepts: list[ConceptPath]


@dataclass(frozen=True, slots=True)
class QuestionPrediction:
    """The prediction for one question.

    Attributes:
        concepts: the most probable paths, in descending order.
        hierarchy: name of the hierarchy that the concepts belong to; empty if the bank has none.
        is_mathematics: False if the text does not look like a mathematics question. Then nothing is predicted, and
            the notice says so.
        order: its score among questions on its topic (`questionbank.similar.kinship`); None if no probes learned
            an order for its language.
    """

    concepts: list[PredictedConcept]
    difficulty: PredictedDifficulty | None
    neighbours: list[LabelledNeighbour]
    basis: str
    notice: str
    hierarchy: str = ""
    is_mathematics: bool = True
    order: float | None = None


def predict(*, text: str, serving: Serving, language: str = "", hierarchy: str | None = None) -> QuestionPrediction:
    """Predict the concepts and the difficulty of one text; questions with the same text do not count as evidence.

    Raises:
        ServiceUnavailable: there are no vectors yet.
        ValidationFailed: there is no such hierarchy.
    """
    language = language or detect_language(text)
    name = _known_hierarchy(serving, hierarchy)
    if not looks_like_mathematics(text):
        return _no_prediction(name)
    embedding_set, encoder, notice = serving.lens_for(main_lens().word, language, [text])
    vector = encoder.encode([text])[0]
    neighbours = _labelled_neighbours(embedding_set, vector, text, name, language if notice else "")
    probes = serving.probes_for(hierarchy=name, language=language, sample=[text])
    if probes is None:
        if name in serving.probe_artifacts:
            # With a notice, the similar questions shown beside it already say that no model reads the language.
            reason = "" if notice else f"The model for “{name}” reads vectors that are not in use."
        else:
            reason = why_no_probes(name) if name else "The bank has no concepts yet."
        return _by_votes(neighbours, reason, name)
    if serving.embedding_set(probes.lens) != embedding_set:
        vector = serving.encoder(probes.lens).encode([text])[0]
    predicted = probes.heads.predict(vector[None], TOP_CONCEPTS, texts=[text])[0]
    concepts = _with_ids(predicted, name) if probes.heads.beats_majority else []
    return _by_probes(probes, _in_order(predicted, language), concepts, neighbours)


def predict_many(
    *, texts: Sequence[str], languages: Sequence[str], serving: Serving, hierarchy: str | None = None
) -> list[QuestionPrediction]:
    """Predict for many texts, in order; predictions by probes come without neighbours.

    Raises:
        ServiceUnavailable: there are no vectors yet.
        ValidationFailed: there is no such hierarchy.
    """
    name = _known_hierarchy(serving, hierarchy)
    predictions: dict[int, QuestionPrediction] = {}
    by_lens: dict[str, tuple[ServedProbes, list[int]]] = {}
    for index, text in enumerate(texts):
        if not looks_like_mathematics(text):
            predictions[index] = _no_prediction(name)
            continue
        language = languages[index] or detect_language(text)
        probes = serving.probes_for(hierarchy=name, language=language, sample=[text])
        if probes is None:
            predictions[index] = predict(text=text, serving=serving, language=language, hierarchy=hierarchy)
        else:
            by_lens.setdefault(probes.lens, (probes, []))[1].append(index)
    for probes, indices in by_lens.values():
        lens_texts = [texts[index] for index in indices]
        vectors = serving.encoder(probes.lens).encode(lens_texts)
        predicted = probes.heads.predict(vectors, TOP_CONCEPTS, texts=lens_texts)
        for index, prediction in zip(indices, predicted, strict=True):
            guesses = prediction.concepts if probes.heads.beats_majority else ()
            concepts = [PredictedConcept(guess.path, guess.probability) for guess in guesses]
            language = languages[index] or detect_language(texts[index])
            predictions[index] = _by_probes(probes, _in_order(prediction, language), concepts, [])
    return [predictions[index] for index in range(len(texts))]


def text_difficulties(questions: Sequence[int]) -> dict[int, Expected]:
    """Return the difficulty of questions by their texts, by id, as far as a model in use states one.

    Each question is read by the model of the hierarchy that tags it, otherwise of the bank's default hierarchy. Its
    estimate has not learned from the responses to it.
    """
    models = serving()
    tags = QuestionTag.objects.filter(question__in=questions, concept__hierarchy__name__in=models.probe_artifacts)
    hierarchies = dict(tags.order_by("concept__path").values_list("question_id", "concept__hierarchy__name"))
    found: dict[int, Expected] = {}
    for start in range(0, len(questions), _READ_BY_MODEL):
        ids = questions[start : start + _READ_BY_MODEL]
        rows = Question.objects.filter(pk__in=ids).exclude(kind__in=NOT_READ).defer("search_vector", "solution")
        groups: dict[tuple[str, str], list[Question]] = defaultdict(list)
        for row in rows:
            groups[hierarchies.get(row.pk, ""), row.language].append(row)
        for (hierarchy, language), group in groups.items():
            found |= _text_difficulties(group, models, hierarchy, language)
    return found


def _text_difficulties(
    questions: Sequence[Question], models: Serving, hierarchy: str, language: str
) -> dict[int, Expected]:
    texts = {question.pk: question.analysed_text for question in questions}
    try:
        name = hierarchy or models.hierarchy(None)
        probes = models.probes_for(hierarchy=name, language=language, sample=list(texts.values()))
        if probes is None or not probes.heads.states_difficulty:
            return {}
        vectors = vectors_of(embedding_set=models.embedding_set(probes.lens), questions=questions)
    except ServiceUnavailable:
        return {}
    if not vectors:
        return {}
    read = [texts[pk] for pk in vectors]
    estimates = probes.heads.difficulties_apart(np.stack(list(vectors.values())), read)
    found = {}
    for pk, estimate in zip(vectors, estimates, strict=True):
        on_scale = _on_scale((estimate.value, estimate.low, estimate.high), estimate.scale, None) if estimate else None
        if on_scale is not None:
            percents = (on_scale.percent, on_scale.low_percent, on_scale.high_percent)
            found[pk] = Expected(percents, f"{name}: {on_scale.scale}")
    return found


def _no_prediction(hierarchy: str) -> QuestionPrediction:
    """Return the empty prediction for a text that is not mathematics."""
    return QuestionPrediction([], None, [], "", NOT_MATHEMATICS, hierarchy, is_mathematics=False)


def _in_order(predicted: Prediction, language: str) -> Prediction:
    """Return a prediction, without the order if that was learned in another language."""
    return predicted if primary_language(language) == LANGUAGE else replace(predicted, order=None)


def _by_probes(
    probes: ServedProbes, predicted: Prediction, concepts: list[PredictedConcept], neighbours: list[LabelledNeighbour]
) -> QuestionPrediction:
    estimate = predicted.difficulty if probes.heads.states_difficulty else None
    difficulty = (
        _on_scale(
            (estimate.value, estimate.low, estimate.high, *(estimate.middle or ())), estimate.scale, estimate.coverage
        )
        if estimate
        else None
    )
    return QuestionPrediction(
        concepts=concepts,
        difficulty=difficulty,
        neighbours=neighbours,
        basis=_estimated_basis(len(neighbours)),
        notice=" ".join(filter(None, (_no_better(probes), _no_difficulty(probes)))),
        hierarchy=probes.hierarchy,
        order=predicted.order,
    )


def _known_hierarchy(serving: Serving, hierarchy: str | None) -> str:
    """Return the hierarchy to predict in; empty if the bank has none."""
    if hierarchy is not None and hierarchy not in serving.probe_artifacts:
        names = KnowledgeHierarchy.objects.order_by("name").values_list("name", flat=True)
        if hierarchy not in (hierarchy_names := list(names)):
            known = ", ".join(hierarchy_names or serving.probe_artifacts) or "none"
            raise ValidationFailed(f"There is no hierarchy “{hierarchy}”; choose one of these: {known}.")
    return serving.hierarchy(hierarchy)


def _no_better(probes: ServedProbes) -> str:
    """Return why trained probes predict no concepts; empty if they do."""
    if probes.heads.beats_majority or probes.heads.manifest is None:
        return ""
    measured = probes.heads.measured("concepts")
    right, majority = 100 * measured["path_accuracy"], 100 * measured["path_majority_accuracy"]
    return (
        f"The model for “{probes.hierarchy}” was right for {right:.0f}% of the questions kept back from its training,"
        f" no better than always naming the commonest concept ({majority:.0f}%). So it names none; more labelled"
        " questions would help."
    )


def _no_difficulty(probes: ServedProbes) -> str:
    """Return why trained probes predict no difficulty; empty if they do, or never learned any."""
    if probes.heads.states_difficulty:
        return ""
    measured = probes.heads.measured("difficulty")
    if measured["mae"] < measured["median_mae"]:
        return (
            f"The model for “{probes.hierarchy}” states no difficulty: its interval held only"
            f" {100 * measured['coverage']:.0f}% of the difficulties of questions kept back from its training."
        )
    return (
        f"The model for “{probes.hierarchy}” states no difficulty: on questions kept back from its training it was no"
        " nearer than always stating the middle one. More graded questions would help."
    )


def _estimated_basis(neighbours: int) -> str:
    if not neighbours:
        return "estimated from the text"
    nearest_ones = "the nearest labelled question" if neighbours == 1 else f"{neighbours} nearest labelled questions"
    return f"estimated from the text; {nearest_ones} below"


def _with_ids(predicted: Prediction, hierarchy: str) -> list[PredictedConcept]:
    """Return the predicted paths with their concept ids, using two queries."""
    paths = [guess.path for guess in predicted.concepts]
    candidates = KnowledgeConcept.objects.filter(
        hierarchy__name=hierarchy, name__in={path[-1] for path in paths}
    ).values_list("pk", "path")
    names = named_paths(path for _pk, path in candidates)
    ids = {names[path]: pk for pk, path in candidates}
    return [PredictedConcept(guess.path, guess.probability, ids.get(guess.path)) for guess in predicted.concepts]


def _on_scale(figures: Sequence[float], scale: str, coverage: float | None) -> PredictedDifficulty | None:
    """Return an estimate: its value, its interval and, if known, the interval of the middle half."""
    percents = [scale_percent(number, scale) for number in figures]
    percent, *ends = [number for number in percents if number is not None] or [0.0]
    if len(ends) + 1 < len(percents):
        return None
    value, low, high = figures[:3]
    (first, second), middle = (sorted(ends[:2]), sorted(ends[2:]))  # an inverted scale swaps the interval ends
    return PredictedDifficulty(
        value, low, high, scale, percent, first, second, coverage, (middle[0], middle[1]) if middle else None
    )


def _labelled_neighbours(
    embedding_set: EmbeddingSet, vector: Vector, text: str, hierarchy: str, language: str
) -> list[LabelledNeighbour]:
    """Return the nearest ready questions tagged in the hierarchy, without paraphrases, which only repeat tags.

    Without a hierarchy, return those that have a difficulty.

    Args:
        language: the required language, or empty for any. It is needed if only wording can be compared: texts in
            other languages then share only numbers and symbols with the question.
    """
    labelled: list[LabelledNeighbour] = []
    if not language:
        hits = nearest(embedding_set=embedding_set, vector=vector, k=4 * NEIGHBOURS)
        labelled = _load(hits, text, hierarchy)
    if len(labelled) < NEIGHBOURS:  # few of the bank's questions are labelled: search only those
        among = Question.objects.filter(status=Question.Status.READY, paraphrase_of__isnull=True)
        if language:
            among = among.filter(language=language)
        if hierarchy:
            tags = QuestionTag.objects.filter(question=OuterRef("pk"), concept__hierarchy__name=hierarchy)
            among = among.filter(Exists(tags))
        else:
            among = among.filter(difficulty_percent__isnull=False)
        hits = nearest(embedding_set=embedding_set, vector=vector, k=2 * NEIGHBOURS, question_ids=among)
        labelled = _load(hits, text, hierarchy)
    return labelled


def _load(hits: Sequence[tuple[int, float]], text: str, hierarchy: str) -> list[LabelledNeighbour]:
    """Return the first `NEIGHBOURS` hits that are evidence, reading no more questions than that takes."""
    owner = KnowledgeHierarchy.objects.filter(name=hierarchy).first() if hierarchy else None
    paths = concept_paths((pk for pk, _score in hits), hierarchy=owner) if owner else {}
    tagged = [(pk, score) for pk, score in hits if pk in paths or not hierarchy]
    labelled: list[LabelledNeighbour] = []
    for start in range(0, len(tagged), _READ_AT_ONCE):
        some = tagged[start : start + _READ_AT_ONCE]
        questions = Question.objects.defer("search_vector", "solution").in_bulk([pk for pk, _score in some])
        labelled += [
            LabelledNeighbour(questions[pk], round(score, 4), paths.get(pk, []))
            for pk, score in some
            if pk in questions
            and questions[pk].analysed_text != text
            and questions[pk].paraphrase_of_id is None
            and (hierarchy or questions[pk].difficulty_percent is not None)
        ]
        if len(labelled) >= NEIGHBOURS:
            break
    return labelled[:NEIGHBOURS]


def _by_votes(neighbours: list[LabelledNeighbour], notice: str, hierarchy: str) -> QuestionPrediction:
    """Return concepts and difficulty by a vote of the nearest labelled questions, weighted by nearness."""
    votes: dict[ConceptPath, float] = defaultdict(float)
    for neighbour in neighbours:
        for path in neighbour.concepts:
            votes[path] += _weight(neighbour) / len(neighbour.concepts)
    total = sum(votes.values())
    best = sorted(votes.items(), key=lambda item: -item[1])[:TOP_CONCEPTS]
    if best:
        notice = f"{notice} These concepts are those of the most similar tagged questions.".strip()
    notice = notice or "No similar question has concepts."
    ids = _ids_of_tags(neighbours, hierarchy)
    return QuestionPrediction(
        concepts=[PredictedConcept(path, share / total, ids.get(path)) for path, share in best if total],
        difficulty=_voted_difficulty(neighbours),
        neighbours=neighbours,
        basis=_estimated_basis(len(neighbours)),
        notice=notice,
        hierarchy=hierarchy,
    )


def _weight(neighbour: LabelledNeighbour) -> float:
    return max(neighbour.score, 0.0) ** 4


def _ids_of_tags(neighbours: Iterable[LabelledNeighbour], hierarchy: str) -> dict[ConceptPath, int]:
    """Return the concept ids of the neighbours' paths; tags and paths are in the same order."""
    by_question = {neighbour.question.pk: neighbour for neighbour in neighbours}
    rows = (
        QuestionTag.objects.filter(question_id__in=by_question, concept__hierarchy__name=hierarchy)
        .order_by("concept__path")
        .values_list("question_id", "concept_id")
    )
    ids: dict[int, list[int]] = defaultdict(list)
    for question_id, concept_id in rows:
        ids[question_id].append(concept_id)
    return {
        path: concept_id
        for question_id, concept_ids in ids.items()
        for path, concept_id in zip(by_question[question_id].concepts, concept_ids, strict=False)
    }


def _voted_difficulty(neighbours: Sequence[LabelledNeighbour]) -> PredictedDifficulty | None:
    """Return the weighted mean on the neighbours' commonest scale, with their 10th, 90th, 25th and 75th percentiles."""
    by_scale: dict[str, list[LabelledNeighbour]] = defaultdict(list)
    for neighbour in neighbours:
        question = neighbour.question
        if scale_percent(question.difficulty, question.difficulty_scale) is not None:
            by_scale[question.difficulty_scale].append(neighbour)
    scale, voters = max(by_scale.items(), key=lambda item: len(item[1]), default=("", []))
    if len(voters) < _FEWEST_VOTES:
        return None
    percents = np.array([scale_percent(voter.question.difficulty, scale) for voter in voters], dtype=np.float64)
    weights = np.array([_weight(voter) for voter in voters]) + 1e-9
    mean = float(np.average(percents, weights=weights))
    ends = [
        limit(float(quantile), mean)
        for limit, quantile in zip((min, max, min, max), np.quantile(percents, [0.1, 0.9, 0.25, 0.75]), strict=True)
    ]
    values = [scale_value(percent, scale) for percent in (mean, *ends)]
    on_scale = [value for value in values if value is not None]
    if len(on_scale) < len(values):
        return None
    value, *limits = on_scale
    return _on_scale((value, *sorted(limits[:2]), *sorted(limits[2:])), scale, None)
