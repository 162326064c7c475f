"""Slices of the public data sets arrive as they should."""

from __future__ import annotations

import gzip
import shutil
from itertools import islice
from pathlib import Path

import pytest

from questionbank.bank.question_selectors import numbered_question_records
from questionbank.imports.services import import_file
from questionbank.models import KnowledgeConcept, Question

pytestmark = [pytest.mark.django_db, pytest.mark.shared_data]

SLICE = 60


@pytest.fixture
def part(shared_data: Path, tmp_path: Path):
    """The first rows of a file, in a folder of the set's name."""

    def cut(name: str, rows: int = SLICE) -> Path:
        source = shared_data / f"{name}.jsonl.gz"
        target = tmp_path / f"{name}.jsonl.gz"
        target.parent.mkdir(exist_ok=True)
        with gzip.open(source, "rb") as given, gzip.open(target, "wb") as taken:
            taken.writelines(islice(given, rows))
        return target

    return cut


@pytest.mark.parametrize(
    ("name", "language", "kind", "scale", "has_concepts", "has_equations"),
    [
        ("math/train", "en", "open", "1-5", True, False),
        ("opl/all", "en", None, "1-5", True, False),
        ("tal_scq_zh/train", "zh", "choice", "0-4", True, False),
        ("tal_scq_en/train", "en", "choice", "0-4", True, False),
        ("omni_math_rule/test", "en", "open", "1-9.5", True, False),
        ("gsm8k/train", "en", "open", None, False, True),
        ("math23k/train", "zh", "open", None, False, True),
        ("conceptmath/middle_zh", "zh", "open", None, True, False),
    ],
)
def test_a_public_set_arrives(part, name, language, kind, scale, has_concepts, has_equations):
    report = import_file(path=part(name))
    assert report.refused_count == 0
    assert report.created + report.duplicates == report.rows == SLICE
    questions = Question.objects.select_related("equation")
    assert set(questions.values_list("source", "language")) == {(name.split("/")[0], language)}
    if kind:
        assert set(questions.values_list("kind", flat=True)) == {kind}
    scales = set(questions.exclude(difficulty=None).values_list("difficulty_scale", flat=True))
    assert scales == ({scale} if scale else set())
    assert not questions.exclude(difficulty=None).filter(difficulty_percent=None).exists()
    assert bool(report.concepts_created) is has_concepts
    assert questions.filter(equation__isnull=False).exists() is has_equations
    assert not questions.filter(search_vector=None).exists()


def test_the_subject_tree_of_eedi_becomes_the_hierarchy_of_its_questions(part):
    tree = import_file(path=part("eedi/subjects", rows=751))
    assert (tree.created, tree.concepts_created) == (0, 751)
    questions = import_file(path=part("eedi/train"))
    _pk, record = next(numbered_question_records(Question.objects.all()))
    assert record.concepts[0][0] == "Maths"
    assert questions.concepts_created < SLICE + 5  # nothing but the constructs below the known subjects
    assert KnowledgeConcept.objects.values("hierarchy").distinct().count() == 1


def test_a_truncated_file_leaves_nothing(part, tmp_path):
    whole = part("math/train", rows=2000)
    cut = tmp_path / "cut.jsonl.gz"
    shutil.copy(whole, cut)
    with cut.open("r+b") as file:
        file.truncate(whole.stat().st_size // 2)
    with pytest.raises(Exception, match="is cut off"):
        import_file(path=cut)
    assert not Question.objects.exists()
