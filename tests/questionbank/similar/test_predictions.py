"""Predictions: by probes where there are some, by labelled neighbours where not."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.artifacts import Manifest, artifact_write
from analytics.inference.encode import HashedNgramEncoder
from analytics.inference.heads import ConceptHead, DifficultyHead, ProbeHeads, save_heads
from analytics.inference.subject import NOT_MATHEMATICS
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import EmbeddingSet, ModelArtifact, Question, Run
from questionbank.registry import model_selectors as probe_states
from questionbank.registry import serving as serving_module
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from questionbank.registry.serving import serving
from questionbank.similar.predictions import predict, predict_many, text_difficulties
from tests.questionbank.small_bank import add_concept, add_question, add_set, store_vectors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_artifacts")]

DIMENSION = 512
TRAIN = "A train travels 60 km in 2 hours. How fast is it?"
CAKE = "Factorise the polynomial $x^2-5x+6$."
LETTER = "Please remember to bring your PE kit on Thursday, the bus leaves at 8:45."
SPEED, FACTORS = ("Number", "Rates", "Speed"), ("Algebra", "Factors")


def add_probes(
    folder, hierarchy: str, *, scale: str = "1-5", dimension: int = DIMENSION, metrics: dict | None = None
) -> None:
    """Probes that know two texts by heart: speed (difficulty about 2) and factors (about 4)."""
    vectors = HashedNgramEncoder(dimension).encode([TRAIN, CAKE])
    low, high = (0.0, 1.0) if scale == "facility" else (1.0, 5.0)
    difficulty = DifficultyHead(
        vector_weights=(vectors[1] - vectors[0]) * (high - low) / 4,
        path_weights=np.zeros(0),
        surface_weights=np.zeros(0),
        intercept=(low + high) / 2,
        radius=(high - low) / 8,
        scale=scale,
        lowest=low,
        highest=high,
        coverage=0.9,
    )
    heads = ProbeHeads(
        encoder=f"char-ngrams-{dimension}",
        dimension=dimension,
        concepts=ConceptHead(paths=(SPEED, FACTORS), leading=(), weights=8 * vectors, bias=np.zeros(2)),
        difficulty_of_vector=difficulty,
    )
    path = folder / hierarchy
    artifact_write(path, Manifest("probes", hierarchy, metrics=metrics or {}), lambda aside: save_heads(heads, aside))
    artifact_promote(artifact=artifact_register(folder=path, scope=hierarchy))


@pytest.fixture
def fresh_models():
    """Models loaded anew: the weights are those of other tests, the figures beside them are not."""
    serving_module._models.clear()
    yield
    serving_module._models.clear()


@pytest.fixture
def bank(db):
    """Labelled questions about speed and factors, with vectors under both lenses."""
    speed, factors = add_concept(*SPEED), add_concept(*FACTORS)
    questions = [
        add_question(
            f"A train travels {n}0 km in {n} hours. How fast?", concepts=[speed], difficulty=1 + n / 4,
            difficulty_scale="1-5",
        )
        for n in range(2, 8)
    ] + [
        add_question(f"Factorise the polynomial $x^2-{n}x+6$.", concepts=[factors], difficulty=4,
                     difficulty_scale="1-5")
        for n in range(2, 8)
    ]  # fmt: skip
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens, DIMENSION), questions)
    return questions


def test_probes_give_falling_whole_path_probabilities_with_the_banks_concepts(bank, tmp_path):
    add_probes(tmp_path, "Test hierarchy")
    prediction = predict(text=TRAIN, serving=serving())
    assert [guess.path for guess in prediction.concepts] == [SPEED, FACTORS]
    assert prediction.concepts[0].probability > 0.9
    assert sum(guess.probability for guess in prediction.concepts) == pytest.approx(1)
    assert prediction.concepts[0].concept_id == add_concept(*SPEED).pk
    assert prediction.notice == ""


def test_a_path_that_the_bank_does_not_have_has_no_id(bank, tmp_path):
    add_probes(tmp_path, "Another hierarchy")
    prediction = predict(text=TRAIN, serving=serving(), hierarchy="Another hierarchy")
    assert [guess.concept_id for guess in prediction.concepts] == [None, None]


def test_difficulty_comes_with_interval_per_cent_coverage_and_basis(bank, tmp_path):
    add_probes(tmp_path, "Test hierarchy")
    prediction = predict(text=CAKE, serving=serving())
    difficulty = prediction.difficulty
    assert (difficulty.scale, difficulty.coverage) == ("1-5", 0.9)
    assert difficulty.low <= difficulty.value <= difficulty.high
    assert difficulty.value == pytest.approx(4, abs=0.4)
    assert difficulty.percent == pytest.approx(100 * (difficulty.value - 1) / 4)
    assert difficulty.low_percent < difficulty.percent < difficulty.high_percent
    assert prediction.basis == "estimated from the text; 10 nearest labelled questions below"


def test_on_an_inverted_scale_the_interval_in_per_cent_still_rises(bank, tmp_path):
    add_probes(tmp_path, "Test hierarchy", scale="facility")
    difficulty = predict(text=TRAIN, serving=serving()).difficulty
    assert difficulty.percent == pytest.approx(100 * (1 - difficulty.value))
    assert difficulty.low_percent < difficulty.percent < difficulty.high_percent


def test_a_paraphrase_is_no_evidence_for_what_it_took_over(bank, tmp_path):
    add_probes(tmp_path, "Test hierarchy")
    copies = [
        add_question(f"{TRAIN} {n}", concepts=[add_concept(*SPEED)], difficulty=5, difficulty_scale="1-5")
        for n in range(3)
    ]
    for lens in ("purpose", "wording"):
        store_vectors(EmbeddingSet.objects.get(lens=lens), copies)
    assert predict(text=TRAIN, serving=serving()).neighbours[0].question in copies
    Question.objects.filter(pk__in=[copy.pk for copy in copies]).update(paraphrase_of=bank[0])
    neighbours = [neighbour.question for neighbour in predict(text=TRAIN, serving=serving()).neighbours]
    assert len(neighbours) == 10
    assert not set(copies) & set(neighbours)


def test_neighbours_are_labelled_questions_the_nearest_first_without_the_text_itself(bank, tmp_path):
    add_probes(tmp_path, "Test hierarchy")
    unlabelled = add_question("A train travels 61 km in 2 hours. How fast is it?")
    itself = add_question(TRAIN, concepts=[add_concept(*SPEED)])
    for embedding_set in serving().sets.values():
        store_vectors(embedding_set, [unlabelled, itself])
    neighbours = predict(text=TRAIN, serving=serving()).neighbours
    assert len(neighbours) == 10
    assert unlabelled not in [neighbour.question for neighbour in neighbours]
    assert itself not in [neighbour.question for neighbour in neighbours]
    assert [neighbour.score for neighbour in neighbours] == sorted(
        (neighbour.score for neighbour in neighbours), reverse=True
    )
    assert neighbours[0].concepts == [SPEED]
    assert neighbours[0].question.difficulty_percent is not None


def test_labelled_questions_are_found_among_many_that_are_not(bank, tmp_path):
    crowd = [add_question(f"A train travels 60 km in 2 hours. How fast is it? Version {n}") for n in range(60)]
    for embedding_set in serving().sets.values():
        store_vectors(embedding_set, crowd)
    neighbours = predict(text=TRAIN, serving=serving()).neighbours
    assert len(neighbours) == 10
    assert all(neighbour.concepts for neighbour in neighbours)


def test_without_probes_the_neighbours_vote_and_the_notice_says_so(bank):
    prediction = predict(text=TRAIN, serving=serving())
    assert prediction.concepts[0].path == SPEED
    assert prediction.concepts[0].concept_id == add_concept(*SPEED).pk
    assert sum(guess.probability for guess in prediction.concepts) == pytest.approx(1)
    assert prediction.difficulty.scale == "1-5"
    assert prediction.difficulty.low <= prediction.difficulty.value <= prediction.difficulty.high
    assert prediction.difficulty.coverage is None
    assert prediction.notice == (
        "“Test hierarchy” has 12 of the 100 labelled questions a model needs; 88 are missing."
        " These concepts are those of the most similar tagged questions."
    )


def test_a_notice_says_that_training_or_vectors_are_awaited(bank, monkeypatch):
    monkeypatch.setattr(probe_states, "FEWEST_TAGGED", 12)
    assert "an admin can train it under Models" in predict(text=TRAIN, serving=serving()).notice
    embed = Run.objects.create(kind="embed", capability="encoder")
    assert "once the vectors of its questions are computed" in predict(text=TRAIN, serving=serving()).notice
    training = Run.objects.create(
        kind="train", capability="probes", parameters={"hierarchy": "Test hierarchy"}, state="running"
    )
    assert f"is being trained (job {training.pk})" in predict(text=TRAIN, serving=serving()).notice
    Run.objects.filter(pk__in=[embed.pk, training.pk]).update(state="failed")
    assert "an admin can train it" in predict(text=TRAIN, serving=serving()).notice


@pytest.mark.parametrize(
    ("measured", "names_concepts"),
    [
        ({"path_accuracy": 0.4, "path_majority_accuracy": 0.4}, False),
        ({"path_accuracy": 0.5, "path_majority_accuracy": 0.4}, True),
        ({"path_accuracy": 0.5, "path_majority_accuracy": 0.4, "path_gain_low": -0.01}, False),
    ],
)
def test_probes_no_better_than_the_commonest_concept_name_none_and_say_so(
    bank, tmp_path, fresh_models, measured, names_concepts
):
    add_probes(tmp_path, "Test hierarchy", metrics={"concepts": measured})
    alone = predict(text=TRAIN, serving=serving())
    (among_many,) = predict_many(texts=[TRAIN], languages=["en"], serving=serving())
    for prediction in (alone, among_many):
        assert bool(prediction.concepts) is names_concepts
        assert ("no better than always naming the commonest concept (40%)" in prediction.notice) is not names_concepts
        assert prediction.difficulty is not None


@pytest.mark.parametrize(
    ("measured", "notice"),
    [
        ({"mae": 0.3, "median_mae": 0.4, "coverage": 0.89}, ""),
        ({"mae": 0.4, "median_mae": 0.3, "coverage": 0.9}, "no nearer than always stating the middle one"),
        ({"mae": 0.3, "median_mae": 0.4, "coverage": 0.8}, "held only 80% of the difficulties"),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_difficulty_that_a_constant_or_the_interval_contradicts_is_not_stated(
    bank, tmp_path, fresh_models, measured, notice, elsewhere
):
    good = {"difficulty": {"mae": 0.1, "median_mae": 0.4, "coverage": 0.9}}
    metrics = {**good, "other_sources": {"difficulty": measured}} if elsewhere else {"difficulty": measured}
    add_probes(tmp_path, "Test hierarchy", metrics=metrics)
    alone = predict(text=TRAIN, serving=serving())
    (among_many,) = predict_many(texts=[TRAIN], languages=["en"], serving=serving())
    for prediction in (alone, among_many):
        assert (prediction.difficulty is None) is bool(notice)
        assert notice in prediction.notice
        assert prediction.concepts


def test_another_set_beside_changes_no_prediction(bank, tmp_path):
    """Neither its probes nor its questions, which stand nearer and are graded on another scale."""
    add_probes(tmp_path, "Test hierarchy")
    with_probes = predict(text=TRAIN, serving=serving())
    ModelArtifact.objects.filter(capability="probes").delete()
    by_votes = predict(text=TRAIN, serving=serving())
    applied = add_concept("Applied", hierarchy="Another set")
    near = [
        add_question(f"{TRAIN} {n}", concepts=[applied], difficulty=9.5, difficulty_scale="1-9.5") for n in range(50)
    ]
    for embedding_set in serving().sets.values():
        store_vectors(embedding_set, near)
    add_probes(tmp_path, "Another set", scale="1-9.5")
    again = predict(text=TRAIN, serving=serving())
    assert [guess.path for guess in again.concepts] == [guess.path for guess in by_votes.concepts]
    assert again.difficulty == by_votes.difficulty
    assert predict(text=TRAIN, serving=serving(), hierarchy="Another set").difficulty.scale == "1-9.5"
    add_probes(tmp_path / "again", "Test hierarchy")
    assert predict(text=TRAIN, serving=serving()).difficulty == with_probes.difficulty
    assert {neighbour.question.difficulty_scale for neighbour in again.neighbours} == {"1-5"}


def test_an_unlabelled_bank_predicts_nothing():
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens, DIMENSION), [add_question(f"A train {lens}")])
    prediction = predict(text=TRAIN, serving=serving())
    assert (prediction.concepts, prediction.difficulty, prediction.neighbours) == ([], None, [])
    assert prediction.basis == "estimated from the text"


def test_without_vectors_there_is_a_sentence():
    with pytest.raises(ServiceUnavailable, match="cannot be compared yet"):
        predict(text=TRAIN, serving=serving())


def test_an_unknown_hierarchy_is_refused_with_the_known_ones(bank, tmp_path):
    add_probes(tmp_path, "Test hierarchy")
    for ask in (
        lambda: predict(text=TRAIN, serving=serving(), hierarchy="Biology"),
        lambda: predict_many(texts=[TRAIN], languages=[""], serving=serving(), hierarchy="Biology"),
    ):
        with pytest.raises(ValidationFailed, match=r"Biology.*Test hierarchy"):
            ask()


def test_a_language_that_the_model_does_not_know_is_answered_by_probes_on_wording(tmp_path):
    add_set("purpose", 16, unknown_shares={"en": 0.0, "zh": 0.5})
    add_set("wording", DIMENSION)
    add_probes(tmp_path, "Of wording")
    now = serving()
    assert now.probes_for(language="zh").lens == "wording"
    assert now.probes_for(language="en").lens == "wording"  # its hierarchy's questions are in that language
    assert predict(text=TRAIN, serving=now, language="zh").concepts[0].path == SPEED


def test_many_are_predicted_as_one_by_one(bank, tmp_path):
    add_probes(tmp_path, "Test hierarchy")
    now = serving()
    texts = [CAKE, TRAIN, "已知三角形"]
    many = predict_many(texts=texts, languages=["en", "", "zh"], serving=now)
    for text, language, prediction in zip(texts, ["en", "", "zh"], many, strict=True):
        alone = predict(text=text, serving=now, language=language)
        assert [guess.path for guess in prediction.concepts] == [guess.path for guess in alone.concepts]
        assert prediction.concepts[0].probability == pytest.approx(alone.concepts[0].probability)
        assert prediction.difficulty.value == pytest.approx(alone.difficulty.value, abs=1e-5)


def test_a_text_that_is_not_mathematics_has_no_concept_no_difficulty_and_a_sentence(bank, tmp_path):
    add_probes(tmp_path, "Test hierarchy")
    now = serving()
    alone = predict(text=LETTER, serving=now)
    letter, question = predict_many(texts=[LETTER, TRAIN], languages=["en", "en"], serving=now)
    for prediction in (alone, letter):
        assert (prediction.concepts, prediction.difficulty, prediction.neighbours) == ([], None, [])
        assert prediction.notice == NOT_MATHEMATICS
        assert not prediction.is_mathematics
    assert question.is_mathematics
    assert question.concepts[0].path == SPEED


def test_questions_in_other_languages_say_nothing_of_a_text_whose_wording_alone_can_be_compared(bank):
    sets = EmbeddingSet.objects.filter(lens="purpose")
    sets.update(unknown_shares={"en": 0.0, "zh": 0.5}, artifact=None)
    chinese = "一列火车2小时行驶60千米，它的速度是多少？"
    nothing = predict(text=chinese, serving=serving(), language="zh")
    assert (nothing.concepts, nothing.neighbours, nothing.difficulty) == ([], [], None)
    assert "vote" not in nothing.notice
    tagged = add_question(chinese.replace("2", "3"), language="zh", concepts=[add_concept(*SPEED)])
    store_vectors(EmbeddingSet.objects.get(lens="wording"), [tagged])
    voted = predict(text=chinese, serving=serving(), language="zh")
    assert [neighbour.question for neighbour in voted.neighbours] == [tagged]
    assert [concept.path for concept in voted.concepts] == [SPEED]


def test_difficulties_of_stored_questions_are_read_off_their_texts(bank, tmp_path):
    questions = list(Question.objects.order_by("pk"))
    assert text_difficulties([question.pk for question in questions]) == {}
    add_probes(tmp_path, "Test hierarchy")
    Question.objects.filter(pk=questions[0].pk).update(kind=Question.Kind.DESCRIPTION)
    found = text_difficulties([question.pk for question in questions])
    assert found.keys() == {question.pk for question in questions[1:]}
    easy, hard = found[questions[1].pk], found[questions[-1].pk]
    assert easy.percent[0] < 50 < hard.percent[0]
    assert all(low < percent < high for percent, low, high in (easy.percent, hard.percent))
    assert easy.scale == "Test hierarchy: 1-5"
