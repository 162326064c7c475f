"""similar, predict, embed and index_recall: what they print and write, and how they fail."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analytics.inference.subject import NOT_MATHEMATICS
from analytics.solver.targets import problem_graph_key
from questionbank.models import EmbeddingSet, QuestionEquation
from questionbank.registry import artifact_services as artifacts
from tests.questionbank.small_bank import add_concept, add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db

TRAIN = "A train travels 60 km in 2 hours. How far does it travel in 5 hours?"


@pytest.fixture(autouse=True)
def bank(db, monkeypatch):
    """A bank whose lenses are both served by character n-grams; the default model is not installed."""
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)
    speed = add_concept("Number", "Rates", "Speed")
    questions = [
        add_question(TRAIN, concepts=[speed]),
        add_question(TRAIN.replace("60", "90"), concepts=[speed]),
        add_question("Factorise $x^2-5x+6$."),
    ]
    for lens, dimension in (("purpose", 64), ("wording", 512)):
        store_vectors(add_set(lens, dimension, unknown_shares={"en": 0.0, "zh": 0.6}), questions)
    return questions


def run(command: str, *arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(command, *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


class TestSimilar:
    def test_with_json_standard_output_is_json_and_nothing_else(self, bank):
        out, err = run("similar", "--text", TRAIN.replace("60", "70"), "--k", "2", "--json")
        hits = json.loads(out)
        assert {frozenset(hit) for hit in hits} == {frozenset({"id", "text", "concepts", "score", "reason", "copies"})}
        (hit,) = hits
        assert {hit["id"], *hit["copies"]} == {bank[0].pk, bank[1].pk}
        assert hits[0]["concepts"] == [["Number", "Rates", "Speed"]]
        assert hits[0]["reason"].startswith("The same text with other numbers")
        assert err == ""

    def test_a_notice_goes_to_standard_error(self):
        out, err = run("similar", "--text", "一列火车行多少千米", "--json")
        assert json.loads(out) == []
        assert "cannot read Chinese" in err
        assert "embed_questions" in err

    def test_a_stored_question_finds_others(self, bank):
        out, _ = run("similar", "--id", str(bank[0].pk), "--lens", "wording", "--json", "--k", "1")
        assert [hit["id"] for hit in json.loads(out)] == [bank[1].pk]

    def test_by_structure_word_problems_are_found_and_another_text_gets_a_sentence(self, bank):
        store_vectors(add_set("structure", 64, unknown_shares={"en": 0.0}), bank[:2])
        out, err = run("similar", "--id", str(bank[0].pk), "--lens", "structure", "--json")
        assert json.loads(out) == []
        assert "We do not know how this question is computed" in err
        for question, equation in zip(bank[:2], ("60/2*5", "90/2*5"), strict=True):
            key = problem_graph_key(question.text, equation)
            QuestionEquation.objects.create(question=question, expression=equation, graph_key=key)
        out, err = run("similar", "--id", str(bank[0].pk), "--lens", "structure", "--json")
        (hit,) = json.loads(out)
        assert hit["id"] == bank[1].pk
        assert hit["reason"].startswith("Both are computed as")
        out, err = run("similar", "--text", "Factorise $x^2-1$.", "--lens", "structure", "--json")
        assert json.loads(out) == []
        assert "Only word problems" in err
        assert "embed_questions" not in err

    def test_without_json_people_can_read_it(self, bank):
        out, _ = run("similar", "--text", TRAIN, "--k", "1")
        first, second = out.rstrip("\n").split("\n")
        assert str(bank[0].pk) in first
        assert second.strip() == "The same text."

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--text", " "], "must be the text of a question"),
            (["--text", "x", "--k", "0"], "between 1 and 500"),
            (["--text", "x", "--lens", "structure"], "is in use yet"),
            (["--text", "x", "--lens", "colour"], "no lens “colour”; use one of purpose, structure, wording"),
            (["--id", "4711"], "no question 4711"),
            ([], "required"),
        ],
    )
    def test_what_cannot_be_done_is_one_sentence(self, arguments, said):
        with pytest.raises(CommandError, match=said):
            run("similar", *arguments)


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.jsonl"
    lines = [{"id": 1, "text": TRAIN}, {"id": "zh", "text": "一列火车2小时行60千米", "language": "zh"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class TestEmbed:
    def test_each_question_gets_the_vector_of_the_lens(self, questions, tmp_path):
        target = tmp_path / "vectors.jsonl"
        out, err = run("embed", "--input", str(questions), "--output", str(target), "--lens", "wording")
        rows = read(target)
        assert [row["id"] for row in rows] == [1, "zh"]
        assert [set(row) for row in rows] == [{"id", "vector"}] * 2
        assert sum(value**2 for value in rows[0]["vector"]) == pytest.approx(1, abs=1e-3)
        assert out == ""
        assert "2 vectors" in err

    def test_a_language_that_the_model_does_not_know_gets_the_wordings_vector_and_says_so(self, questions, tmp_path):
        target = tmp_path / "vectors.jsonl"
        _, err = run("embed", "--input", str(questions), "--output", str(target))
        english, chinese = read(target)
        assert (len(english["vector"]), len(chinese["vector"])) == (64, 512)
        assert "lens" not in english
        assert chinese["lens"] == "wording"
        assert "compared by wording only" in err

    def test_by_structure_only_word_problems_that_the_model_knows_get_a_vector(self, questions, tmp_path):
        add_set("structure", 64, unknown_shares={"en": 0.0, "zh": 0.6})
        target = tmp_path / "vectors.jsonl"
        chinese = "一列火车2小时行驶60千米，照这样5小时行驶多少千米？"
        lines = [
            {"id": 1, "text": TRAIN},
            {"id": 2, "text": chinese, "language": "zh"},
            {"id": 3, "text": "Factorise $x^2-1$."},
        ]
        questions.write_text("".join(json.dumps(line) + "\n" for line in lines))
        _, err = run("embed", "--input", str(questions), "--output", str(target), "--lens", "structure")
        problem, chinese, formula = read(target)
        assert len(problem["vector"]) == 64
        assert (chinese["vector"], formula["vector"]) == (None, None)
        assert "does not know their language" in err
        assert "only word problems" in err

    @pytest.mark.parametrize(("lens", "said"), [("structure", "is in use yet"), ("colour", "no lens “colour”")])
    def test_a_lens_without_a_model_or_that_no_capability_gives_is_refused(self, questions, tmp_path, lens, said):
        with pytest.raises(CommandError, match=said):
            run("embed", "--input", str(questions), "--output", str(tmp_path / "out"), "--lens", lens)


class TestPredict:
    def test_each_question_gets_paths_and_difficulty(self, questions, tmp_path):
        target = tmp_path / "predictions.jsonl"
        _, err = run("predict", "--input", str(questions), "--output", str(target))
        english, chinese = read(target)
        assert set(english) == {"id", "concepts", "difficulty"}
        assert english["concepts"] == [{"path": ["Number", "Rates", "Speed"], "probability": 1.0}]
        assert english["difficulty"] is None
        assert chinese["id"] == "zh"
        assert "most similar tagged questions" in err

    def test_what_is_not_mathematics_gets_a_notice_in_its_line(self, questions, tmp_path):
        target = tmp_path / "predictions.jsonl"
        letter = {"id": 3, "text": "Please bring your PE kit on Thursday, the bus leaves at 8:45."}
        questions.write_text(questions.read_text() + json.dumps(letter) + "\n")
        _, err = run("predict", "--input", str(questions), "--output", str(target))
        *others, line = read(target)
        assert line == {"id": 3, "concepts": [], "difficulty": None, "notice": NOT_MATHEMATICS}
        assert not any("notice" in other for other in others)
        assert "Some texts do not look like mathematics questions" in err

    def test_bad_lines_are_reported_and_the_others_written(self, questions, tmp_path):
        target = tmp_path / "predictions.jsonl"
        questions.write_text(questions.read_text() + "nonsense\n")
        err = StringIO()
        with pytest.raises(CommandError, match="1 of 3 lines"):
            call_command("predict", input=questions, output=target, stderr=err, stdout=StringIO())
        assert "line 3: not JSON" in err.getvalue()
        assert len(read(target)) == 2

    def test_an_unknown_hierarchy_writes_nothing(self, questions, tmp_path):
        target = tmp_path / "predictions.jsonl"
        with pytest.raises(CommandError, match="no hierarchy “Biology”"):
            run("predict", "--input", str(questions), "--output", str(target), "--hierarchy", "Biology")
        assert not target.exists()


class TestIndexRecall:
    def test_it_prints_and_keeps_the_figure_of_each_lens(self):
        out, _ = run("index_recall", "--queries", "2", "--k", "1", "--json")
        assert {lens: figure["recall"] for lens, figure in json.loads(out).items()} == {"purpose": 1.0, "wording": 1.0}
        assert EmbeddingSet.objects.get(lens="wording").recall["queries"] == 2
        out, _ = run("index_recall", "--queries", "2")
        assert "wording: recall@10 1.0000 over 2 queries" in out

    def test_a_bank_without_vectors_is_told_in_a_sentence(self):
        EmbeddingSet.objects.update(is_current=False)
        with pytest.raises(CommandError, match="no vectors yet"):
            run("index_recall")
