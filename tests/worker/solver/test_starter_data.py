"""What the starters of solver and retriever are trained on: nothing that they are measured on."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from analytics.splits import KeptOut, is_held_out
from questionbank.demo.bank import demo_questions
from tests.public_sets import write_set
from worker.solver.starter_data import STARTER_SETS, VALIDATION, StarterSets, divide, main, starter_rows

ENGLISH = STARTER_SETS["en"]
PENS = "Ann has 3 pens and buys 4 more . How many pens has she ?"


def every_set(sets: StarterSets) -> set[str]:
    return {*sets.learned, *sets.measured, *sets.equal_texts, *sets.reworded}


def write(data: Path, name: str, *rows: dict[str, object]) -> None:
    write_set(data, name, rows)


def read(data: Path, name: str) -> list[dict[str, object]]:
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def row(id_: int | str, text: str, **fields: object) -> dict[str, object]:
    return {"id": str(id_), "text": text, "language": "en", "equation": "3+4", "answer": "7", **fields}


def test_measured_problems_their_rewordings_and_what_the_demo_bank_holds_out_are_left_out(tmp_path):
    for name in every_set(ENGLISH):
        write(tmp_path, name)
    write(tmp_path, "asdiv_a/cv", row(1, PENS.replace("3", "8")))
    write(
        tmp_path, "mawps/cv",
        row(1, PENS), row(2, "Ben had 9 cards and lost 2 . How many are left ?"), row(3, "Long. " * 60),
    )  # fmt: skip
    write(tmp_path, "paramawps/valid", row(1, PENS, seed=5, variant=0))
    write(
        tmp_path, "paramawps/train_part",
        row(2, "Ann gets 4 pens beside the 3 that she has . How many are these ?", seed=5, variant=1),
        row(3, "Of 9 cards Ben loses 2 . How many has he ?", seed=6, variant=1),
        row(4, "Ben had 9 cards and lost 2 . How many  are left ?", seed=6, variant=0),
    )  # fmt: skip
    write(tmp_path, "mathqa_adapted/val", row(1, "what is 3 plus 4 ?"))
    write(
        tmp_path, "mathqa/train_part",
        row(1, "what is 3 plus 4 ?", numbers_aligned=True),
        row(2, "what is 5 plus 4 ?", numbers_aligned=True),
        row(3, "what is 6 times 4 ?", numbers_aligned=False),
    )  # fmt: skip
    rows, counts = starter_rows(tmp_path, replace(ENGLISH, synthetic=3, everyday=2), "en")
    assert [row["id"] for row in rows if not row["id"].startswith("demo/")] == [
        "mawps/cv/2", "paramawps/train_part/3", "mathqa/train_part/2",
        *(f"written/{number}" for number in range(1, 214)), "synthetic/0", "synthetic/1", "synthetic/2",
        "everyday/0", "everyday/1",
    ]  # fmt: skip
    assert (counts["written"].used, counts["synthetic"].used, counts["everyday"].used) == (213, 3, 2)
    bank = [record.text for record in demo_questions() if record.equation]
    held_out = KeptOut.of(text for text in bank if is_held_out(text))
    demo = [row["text"] for row in rows if row["id"].startswith("demo/")]
    assert demo
    assert not any(held_out.holds(text) for text in demo)
    assert len(demo) == sum(not held_out.holds(text) for text in bank)
    assert str(counts["mawps/cv"]) == "2 problems, 1 left out as measured on, 0 repeat another one, 1 used"


def test_copies_and_rewordings_of_one_problem_are_never_on_both_sides(tmp_path):
    for name in ENGLISH.reworded:
        write(tmp_path, name)
    write(
        tmp_path, "paramawps/train_part",
        *(row(number, f"Story {chr(97 + number // 3 % 26)}{chr(97 + number // 78)} told in way {'xyz'[number % 3]}",
              seed=number // 3, variant=number % 3) for number in range(600)),
    )  # fmt: skip
    reworded = read(tmp_path, "paramawps/train_part")
    copies = [
        row(number, f"Sum {chr(97 + number // 2 % 26)}{chr(97 + number // 52)} of {number}") for number in range(400)
    ]
    synthetic = [row(f"synthetic/{number}", f"Story number {number}") for number in range(20)]
    written = [row(f"written/{number}", f"Problem number {number}") for number in range(20)]
    learned, validation = divide([*reworded, *copies, *synthetic, *written], tmp_path, ENGLISH.reworded)
    assert sum(row["id"].startswith("synthetic/") for row in learned) == len(synthetic)
    assert validation[-len(written) :] == written
    del validation[-len(written) :]
    assert VALIDATION <= len(validation) < VALIDATION + 3
    assert len(learned) + len(validation) == 1000 + len(synthetic)
    for key in (lambda problem: problem.get("seed"), lambda problem: problem["text"][:6]):
        sides = [{key(problem) for problem in side} - {None, "Story "} for side in (learned, validation)]
        assert not sides[0] & sides[1]


def test_chinese_problems_leave_out_measured_stories_and_equal_test_texts(tmp_path):
    chinese = STARTER_SETS["zh"]
    for name in every_set(chinese):
        write(tmp_path, name)
    write(tmp_path, "cmath/test", row(1, "小明有8支铅笔，又买了4支，一共有多少支？"))
    write(tmp_path, "math23k/test", row(1, "一本书有90页，看了30页，还剩多少页？"))
    write(
        tmp_path, "math23k/train",
        row(1, "小明有3支铅笔，又买了4支，一共有多少支？"), row(2, "一本书有90页，看了30页，还剩多少页？"),
        row(3, "一本书有80页，看了30页，还剩多少页？"), row(4, "长" * 121),
    )  # fmt: skip
    rows, _counts = starter_rows(tmp_path, chinese, "zh")
    assert [row["id"] for row in rows] == ["math23k/train/3"]


def test_other_sets_are_learned_from_and_measured_on(tmp_path):
    data, output = tmp_path / "data", tmp_path / "output"
    for name in ENGLISH.equal_texts + ENGLISH.reworded:
        write(data, name)
    write(data, "mawps/cv", row(1, PENS))
    write(
        data, "asdiv_a/cv",
        row(1, PENS.replace("3", "8")), row(2, "Ben has 2 cards. Is this so ?"), row(3, "Ben lost 2 caps. Why ?"),
    )  # fmt: skip
    command = [
        "--data",
        str(data),
        "--output",
        str(output),
        "--synthetic",
        "0",
        "--everyday",
        "0",
        "--measured",
        "mawps/cv",
    ]
    assert main([*command, "--learned", "asdiv_a/cv=2"]) == 0
    problems = [*read(output, "train"), *read(output, "val")]
    public = {problem["id"] for problem in problems if not problem["id"].startswith(("demo/", "written/"))}
    assert public == {"asdiv_a/cv/2", "asdiv_a/cv/3"}


@pytest.mark.parametrize(
    ("learned", "message"), [("gsm8k/nowhere", "There is no set gsm8k/nowhere"), ("mawps/cv=many", "with =COUNT")]
)
def test_sets_that_cannot_be_read_are_named(tmp_path, capsys, learned, message):
    write(tmp_path, "mawps/cv", row(1, PENS))
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path), "--output", str(tmp_path / "output"), "--learned", learned])
    assert message in capsys.readouterr().err
