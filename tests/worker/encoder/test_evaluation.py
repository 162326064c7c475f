"""`evaluate encoder`: sets of a folder, kept-back test files, the fixed part, similarity pairs, and task over story."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from analytics.errors import DataError
from analytics.inference.encode import HashedNgramEncoder
from analytics.splits import is_held_out
from worker.encoder.evaluation import (
    Triple,
    evaluate_encoder,
    read_set,
    read_triples,
    similarity_figures,
    task_margins,
    triple_figures,
)

KINDS = ("area", "perimeter", "mean", "median")


def rows(count: int, start: int = 0) -> list[dict]:
    return [
        {
            "text": f"Find the {KINDS[index % 4]} of thing {chr(97 + index // 26 % 26)}{chr(97 + index % 26)}.",
            "concepts": [["Shape" if index % 4 < 2 else "Data", KINDS[index % 4]]],
            "difficulty": float(index % 4),
        }
        for index in range(start, start + count)
    ]


def write(path, made) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, made)))


def encode(texts: Sequence[str]) -> np.ndarray:
    return HashedNgramEncoder(256).encode(texts)


def test_every_set_of_a_folder_is_measured(tmp_path):
    write(tmp_path / "one" / "all.jsonl", rows(300))
    write(tmp_path / "two" / "all.jsonl", rows(300, start=300))
    write(tmp_path / "three" / "all.jsonl", rows(9))
    figures = evaluate_encoder(tmp_path, encode, name="n-grams")
    assert set(figures["sets"]) == {"one", "two"}
    assert figures["too_few_tagged"] == ["three"]
    own = figures["sets"]["one"]
    assert own["levels"]["2"]["accuracy"] > 0.9  # the word is the concept
    assert own["levels"]["1"]["precision_at_10"] >= own["levels"]["2"]["precision_at_10"] > 0.5
    assert own["difficulty"]["pearson"] > 0.8
    assert own["distance"]["spearman"] > 0.3


def test_a_test_file_is_tested_and_its_near_copies_do_not_train(tmp_path):
    write(tmp_path / "train.jsonl", [*rows(60), {**rows(1, start=60)[0], "text": "What is 3 + 4 in thing zz?"}])
    write(tmp_path / "test.jsonl", [*rows(9, start=100), {**rows(1)[0], "text": "What is 5 + 9 in thing zz?"}])
    split_set = read_set(tmp_path)
    assert split_set is not None
    assert int(split_set.is_test.sum()) == 10
    assert "What is 3 + 4 in thing zz?" not in split_set.texts


def test_without_a_test_file_the_fixed_part_is_tested(tmp_path):
    write(tmp_path / "all.jsonl", rows(300))
    split_set = read_set(tmp_path / "all.jsonl")
    assert split_set is not None
    assert [is_held_out(text) for text in split_set.texts] == split_set.is_test.tolist()


def test_the_whole_text_of_a_long_question_decides_whether_it_was_kept_out(tmp_path):
    made = [
        {**row, "text": f"{'Read with care. ' * 100} {row['text']}{index:b}"} for index, row in enumerate(rows(300))
    ]
    made = [{**row, "text": f"{row['text'].split()[-1]} {row['text']}"} for row in made]
    write(tmp_path / "all.jsonl", made)
    split_set = read_set(tmp_path / "all.jsonl")
    assert split_set is not None
    assert max(map(len, split_set.texts)) == 1500
    whole = {row["text"][:1500]: is_held_out(row["text"]) for row in made}
    cut = [is_held_out(text) for text in split_set.texts]
    assert [whole[text] for text in split_set.texts] == split_set.is_test.tolist() != cut


def test_only_repetitions_count_as_duplicates(tmp_path):
    others = [{**row, "language": "zh"} for row in rows(30, start=400)]
    write(tmp_path / "all.jsonl", [*rows(300), *rows(7), *others, {"text": "Untagged"}])
    split_set = read_set(tmp_path / "all.jsonl", language="en")
    assert split_set is not None
    assert (len(split_set.texts), split_set.duplicates) == (300, 7)


def test_what_only_the_test_file_has_cannot_be_learned_and_is_left_out(tmp_path):
    plain = [{**row, "difficulty": None, "concepts": [row["concepts"][0][:1]]} for row in rows(60)]
    write(tmp_path / "set" / "train.jsonl", plain)
    write(tmp_path / "set" / "test.jsonl", rows(60, start=100))
    figures = evaluate_encoder(tmp_path, encode, name="n-grams")["sets"]["set"]
    assert list(figures["levels"]) == ["1"]
    assert "difficulty" not in figures


def test_too_few_or_untagged_questions_are_no_set(tmp_path):
    write(tmp_path / "all.jsonl", [{"text": f"Untagged {index}"} for index in range(50)])
    assert read_set(tmp_path) is None
    with pytest.raises(DataError, match="No set in"):
        evaluate_encoder(tmp_path, encode, name="n-grams")


def test_similarity_follows_the_scores(tmp_path):
    pairs = tmp_path / "pairs.jsonl"
    write(
        pairs,
        [
            {"text": "Find the area of a circle.", "other": "Find the area of a circle!", "score": 5},
            {"text": "Find the area of a circle.", "other": "Find the area of the square.", "score": 3},
            {"text": "Find the area of a circle.", "other": "Solve for x.", "score": 0},
        ],
    )
    assert similarity_figures(pairs, encode)["spearman"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "a", "other": "b"}', "expected a finite number as score"),
        ('{"text": "a", "other": "b", "score": true}', "expected a finite number as score"),
        ('{"text": "a", "other": "b", "score": 1e999}', "expected a finite number as score"),
        ('{"text": "a", "score": 1}', "expected strings “text” and “other”"),
        ('{"text": "a\\u0000", "other": "b", "score": 1}', "a text holds a NUL character"),
        ("[1]", "the line holds a list, not a JSON object"),
        ("\xff", "invalid UTF-8 at byte 1"),
        ('{"text": "a", "other": "b", "score": 1}', None),
    ],
)
def test_pairs_that_cannot_be_used_are_named(tmp_path, line, reason):
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_bytes(line.encode("latin-1"))
    with pytest.raises(DataError, match="fewer than three pairs" if reason is None else f"line 1: {reason}"):
        similarity_figures(pairs, encode)


TRIPLES = [
    Triple("bus up", "box up", "bus rest", "rounding", "en"),
    Triple("age sum", "coin sum", "age ratio", "sum", "en"),
]


def by_word(word: int):
    """Encode a text by one of its two words alone."""

    def encode(texts: Sequence[str]) -> np.ndarray:
        words = sorted({text.split()[word] for triple in TRIPLES for text in _texts(triple)})
        return np.array([[text.split()[word] == name for name in words] for text in texts], dtype=np.float32)

    return encode


def _texts(triple: Triple) -> tuple[str, str, str]:
    return triple.question, triple.same_task, triple.same_story


def test_an_encoder_of_tasks_ranks_every_triple_rightly_and_one_of_stories_none():
    assert task_margins(TRIPLES, by_word(1)).tolist() == [1.0, 1.0]
    assert task_margins(TRIPLES, by_word(0)).tolist() == [-1.0, -1.0]


def test_figures_are_given_in_all_and_for_each_kind():
    figures = triple_figures(TRIPLES, by_word(1))
    assert (figures["triples"], figures["ranked_rightly"], figures["mean_difference"]) == (2, 1.0, 1.0)
    assert set(figures["kinds"]) == {"rounding", "sum"}


def test_a_tie_is_not_right():
    assert triple_figures([Triple("a b", "a b", "a b", "", "en")], lambda texts: np.ones((len(texts), 1)))[
        "ranked_rightly"
    ] == pytest.approx(0)


@pytest.mark.parametrize("line", [{"question": "a", "same_task": "b"}, {"question": 1}])
def test_a_line_without_three_texts_is_named(tmp_path, line):
    path = tmp_path / "triples.jsonl"
    path.write_text(json.dumps(line) + "\n")
    with pytest.raises(DataError, match="line 1"):
        read_triples(path)


def test_a_language_without_triples_is_an_error():
    with pytest.raises(DataError, match="no triple in the language 'xx'"):
        read_triples(language="xx")
