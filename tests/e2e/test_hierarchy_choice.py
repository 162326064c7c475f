"""Two hierarchies in one bank: whose predictions a teacher sees, and who changes that."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from questionbank.models import EmbeddingSet
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.small_bank import store_vectors

PASTED = r"Solve the equation $7x + 2 = 30$ for $x$."


@pytest.fixture
def contest(bank):
    """A newer hierarchy whose only question is nearest to the pasted one."""
    concept = ConceptFactory(hierarchy=HierarchyFactory(name="Contest"), names=("Quick algebra",))
    question = QuestionFactory(text=f"{PASTED} Be quick.", concepts=[concept])
    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, [question])
    return bank


def concepts(page: Page):
    return page.get_by_role("region", name="Concepts")


def test_a_teacher_chooses_a_hierarchy_on_paste_and_asks_for_another_on_a_question(
    contest, teacher_page: Page
) -> None:
    page = teacher_page
    page.goto("/paste/")
    page.get_by_label("Question", exact=True).fill(PASTED)
    expect(concepts(page)).to_contain_text("Linear equations")
    expect(concepts(page)).not_to_contain_text("Quick algebra")
    page.get_by_label("Predict concepts of").select_option("Contest")
    expect(concepts(page)).to_contain_text("Quick algebra")
    expect(concepts(page)).to_contain_text("1 of the 100 labelled questions a model needs; 99 are missing.")

    page.goto(f"/questions/{contest.questions[5].pk}/")  # without tags: as chosen on Paste
    expect(page.get_by_label("in the hierarchy")).to_have_value("Contest")

    page.goto(f"/questions/{contest.questions[0].pk}/")  # tagged: in its own
    expect(page.get_by_label("in the hierarchy")).to_have_value("School")
    accept = page.get_by_role("button", name="Accept Quick algebra")
    expect(accept).to_have_count(0)
    page.get_by_label("in the hierarchy").select_option("Contest")
    page.get_by_role("button", name="Predict", exact=True).click()
    expect(page.get_by_text("You asked for predictions in Contest.")).to_be_visible()
    expect(page.get_by_text("Quick algebra").first).to_be_visible()
    expect(accept).to_have_count(0)  # of a hierarchy in which the question is not tagged


def test_an_admin_makes_a_hierarchy_the_default(contest, admin_page: Page) -> None:
    page = admin_page
    page.goto("/concepts/")
    expect(page.get_by_role("region", name="School")).to_contain_text("Default")
    page.get_by_role("link", name="Contest").click()
    page.get_by_role("link", name="Make it the default").click()
    page.get_by_role("button", name="Make it the default").click()
    expect(page.get_by_text("“Contest” is now the bank's default hierarchy.")).to_be_visible()
    page.goto("/paste/")
    expect(page.get_by_label("Predict concepts of")).to_have_value("Contest")
