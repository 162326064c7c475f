"""The shipped results of the demo bank belong to the bank and the starters of this version."""

from __future__ import annotations

from questionbank.demo.bank import demo_questions, demo_sources, read_results


def test_the_shipped_results_are_by_the_starters_of_this_version():
    results = read_results()
    assert (results and results.made_by) == demo_sources(), (
        "The demo bank's results are out of date, so new installations compute them anew for half an hour:"
        " make them with `python -m worker.demo_results`."
    )


def test_every_question_has_its_results():
    results = read_results()
    ids = [record.id for record in demo_questions()]
    assert results.ids == ids
    assert {len(vectors) for vectors in results.vectors.values()} == {len(ids)}
    assert set(results.vectors) == {"purpose", "structure"}
    assert len(results.solutions) == len(results.coordinates) == len(ids)
    named = {each["twin"] for solution in results.solutions for each in solution["alternatives"]} - {""}
    assert named <= set(ids)
    assert sum(bool(solution["alternatives"]) for solution in results.solutions) > 1000
