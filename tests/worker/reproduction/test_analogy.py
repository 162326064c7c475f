"""Running arms of the retriever's tables, stopping them, and the tables of what was run."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from analytics.analogy.examples import AnalogyConfig
from analytics.analogy.train import train_retriever
from analytics.artifacts import file_sha256
from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.errors import DataError
from tests.analytics.solver.small_problems import problems
from tests.language_model_server import said
from tests.public_sets import write_set
from worker.reproduction import analogy as analogy
from worker.reproduction.analogy import AnalogyPlan as Plan
from worker.reproduction.analogy import analogy_paper_tables, reproduce_analogy
from worker.reproduction.analogy_tables import ARMS, REWRITTEN, REWRITTEN_BY_MODEL, analogy_tables

TINY = {
    "batch_size": 4, "epochs": 1, "measured": 0, "device": "cpu", "mixed_precision": False,
}  # fmt: skip


DAYS = ("On Monday.", "On Tuesday.", "On Friday.")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name in ("asdiv_a", "mawps"):
        rows = [
            {"id": f"{fold}-{problem.id}", "text": f"{problem.text} {DAYS[fold]}", "equation": problem.equation,
             "fold": fold}
            for fold in range(3) for problem in problems()
        ]  # fmt: skip
        rows.append({"text": "How long is 1 rope?", "equation": "nothing", "fold": 0})
        write_set(folder, f"{name}/cv", rows)
    return folder


@pytest.fixture(scope="module")
def config(tiny_folder):
    return AnalogyConfig(backbone=tiny_folder(128), **TINY)


def test_arms_are_run_once_and_the_tables_say_what_was_not(data, config, tmp_path):
    said: list[str] = []
    plan = Plan(["random", "bound", "frozen", "paper"], [1], ["asdiv_a/fold-0"], ["mawps/fold-1"], k=2, config=config)
    folders = reproduce_analogy(data, tmp_path, plan, say=said.append)
    assert [folder.relative_to(tmp_path).as_posix() for folder in folders] == [
        f"asdiv_a/fold-0/{arm}/seed-1" for arm in plan.arms
    ]
    figures = json.loads((folders[3] / "figures.json").read_text())
    own = figures["sets"]["asdiv_a/fold-0"]
    assert own["questions"] == len(problems())
    assert own["questions_without_graph"] == 1  # "nothing" is no equation
    assert own["questions_with_twin"] == 0
    assert sorted(path.name for path in folders[3].iterdir()) == ["figures.json", "outcomes.npz"]
    bound = json.loads((folders[1] / "figures.json").read_text())["sets"]["asdiv_a/fold-0"]["with_twins"]
    assert bound["same_graph"][0] == 1  # each problem's graph stands twice in the other folds
    reproduce_analogy(data, tmp_path, plan, say=said.append)
    assert sum("kept from before" in line for line in said) == 4
    tables = analogy_tables(tmp_path)
    assert "| ASDiv-A | 8 | 1 | " in tables
    assert "| MAWPS | not run | | | | | |" in tables
    bound_line = next(line for line in tables.splitlines() if line.startswith("| true graphs"))
    assert "1.000 [1.000, 1.000] (fold 0)" in bound_line
    assert "| Eq. 1, the paper's settings | ASDiv-A | MAWPS | " in tables
    assert "| ASDiv-A | not run | not run | not run | not run | " in tables  # the shares of Figure 5
    assert "| TF-IDF | not run |" in tables
    assert "| ours | not run: no language model was asked | " in tables
    assert "| published, Table 2, 1.5B and 1B | 50.3 / 58.7 / 66.6 | " in tables
    with pytest.raises(DataError, match="other settings"):
        reproduce_analogy(data, tmp_path, Plan(["random"], [1], ["asdiv_a/fold-0"], config=config))


def test_an_arm_learns_from_rewritten_pairs_alone(data, config, tmp_path, monkeypatch):
    learned = []

    def train(problems, *arguments, **options):
        learned.extend(problems.learned)
        return train_retriever(problems, *arguments, **options)

    monkeypatch.setattr(analogy, "train_retriever", train)
    reproduce_analogy(data, tmp_path, Plan([REWRITTEN], [1], ["asdiv_a/fold-0"], k=2, config=config))
    assert len(learned) >= TINY["batch_size"]
    assert not any(problem.equation for problem in learned)
    assert [problem.pair for problem in learned[::2]] == [problem.pair for problem in learned[1::2]]
    line = next(line for line in analogy_tables(tmp_path).splitlines() if "rewritten by rules" in line)
    assert "(fold 0)" in line


def test_pairs_of_a_language_model_come_from_a_file(data, config, tmp_path):
    plan = Plan([REWRITTEN_BY_MODEL], [1], ["asdiv_a/fold-0"], k=2, config=config)
    with pytest.raises(DataError, match="needs --pairs"):
        reproduce_analogy(data, tmp_path, plan)
    pairs = tmp_path / "pairs.jsonl"
    rows = [
        {"text": f"{problem.text} {day}", "pair": problem.id}
        for problem in problems() for day in ("At noon.", "At night.")
    ]  # fmt: skip
    pairs.write_text("\n".join(map(json.dumps, rows)))
    [folder] = reproduce_analogy(data, tmp_path, replace(plan, pairs=pairs))
    assert json.loads((folder / "figures.json").read_text())["settings"]["pairs"] == file_sha256(pairs)
    assert "rewritten by a language model | " in analogy_tables(tmp_path)


def test_a_language_model_answers_from_each_arm_s_exemplars(data, config, tmp_path, server):
    server.answers = [(200, said("x=3"), {})]
    options = {
        "data": data, "arms": ["random", "bound"], "seeds": [], "train_on": ["mawps/fold-2"],
        "measure_on": None, "questions": 0, "set": [f"backbone={config.backbone}"], "ask": 5, "pairs": None,
    }  # fmt: skip
    table = analogy_paper_tables(tmp_path, options, lambda _line: None)
    line = next(line for line in table.splitlines() if line.startswith("| ours: true graphs"))
    assert "(tiny, 5 questions) (fold 2)" in line
    sent = len(server.asked)
    assert 5 <= sent <= 20  # five questions, two arms, with and without copies
    for figures in tmp_path.rglob("figures.json"):
        figures.unlink()
    assert analogy_paper_tables(tmp_path, options, lambda _line: None) == table
    assert len(server.asked) == sent  # its answers were kept


@pytest.fixture
def chinese_data(data, tmp_path):
    """Return a data folder that has Chinese sets, too."""
    for name in ("asdiv_a", "mawps"):
        (tmp_path / "data" / name).mkdir(parents=True)
        (tmp_path / "data" / name / "cv.jsonl.gz").write_bytes((data / name / "cv.jsonl.gz").read_bytes())
    rows = [
        {
            "text": f"{thing}盒里有{number}支铅笔，又买了{number + 3}支，一共有多少支？",
            "equation": f"{number}+{number + 3}",
        }
        for number, thing in enumerate("红橙黄绿青蓝紫黑白灰", start=10)
    ]
    for name in ("math23k/train", "math23k/test", "ape210k/test"):
        write_set(tmp_path / "data", name, rows[:7] if name.endswith("train") else rows[7:])
    return tmp_path / "data"


@pytest.mark.parametrize("arm", ["frozen", "paper"])
def test_a_set_that_the_encoder_cannot_read_is_refused_before_anything_is_trained(chinese_data, config, tmp_path, arm):
    for plan in (
        Plan([arm], [1], ["math23k"], config=config),
        Plan([arm], [1], ["asdiv_a/fold-0"], ["ape210k"], config=config),
    ):
        with pytest.raises(DataError, match=r"(math23k|ape210k) cannot be measured\. .* choose another backbone"):
            reproduce_analogy(chinese_data, tmp_path / "output", plan)
    assert not list((tmp_path / "output").rglob("model"))


def test_what_reads_no_text_measures_every_language(chinese_data, config, tmp_path):
    plan = Plan(["random", "tfidf", "bound"], [1], ["ape210k"], k=2, config=config)
    assert len(reproduce_analogy(chinese_data, tmp_path / "output", plan)) == 3


@pytest.mark.parametrize("name", ["math23k", "ape210k", "unbiased_mwp"])
def test_chinese_sets_are_trained_from_an_encoder_that_knows_chinese(monkeypatch, tmp_path, name):
    asked = []

    def run(run, _plan, _data):
        asked.append(run.settings["config"]["backbone"])
        raise DataError("enough")

    monkeypatch.setattr(analogy, "_run", run)
    for arm in ("frozen", "paper"):
        with pytest.raises(DataError, match="enough"):
            reproduce_analogy(tmp_path, tmp_path / "output", Plan([arm], [1], [name], config=AnalogyConfig()))
    assert asked == [MULTILINGUAL_BACKBONE] * 2


def test_the_command_takes_arms_sets_and_settings(data, config, tmp_path):
    options = {
        "data": data, "arms": ["random"], "seeds": [], "train_on": ["mawps/fold-2"], "measure_on": None,
        "questions": 3, "set": [f"backbone={config.backbone}"], "ask": 0, "pairs": None,
    }  # fmt: skip
    table = analogy_paper_tables(tmp_path, options, lambda _line: None)
    assert "| MAWPS | 3 | " in table
    with pytest.raises(DataError, match="There is no arm best"):
        analogy_paper_tables(tmp_path, {**options, "arms": ["best"]}, lambda _line: None)
    with pytest.raises(DataError, match="There is no set gsm9k"):
        analogy_paper_tables(tmp_path, {**options, "train_on": ["gsm9k"]}, lambda _line: None)


def test_every_arm_is_a_valid_configuration():
    for arm in ARMS.values():
        AnalogyConfig(**(arm.settings or {}))
