"""The map in a real browser: by pointer, by keyboard, by graphics card and without one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from questionbank.bank.vector_services import projection_store
from questionbank.models import EmbeddingSet, Question

PLACES = [[0.0, 0.0], [0.6, 0.6], [-0.6, 0.6], [0.6, -0.6], [-1.0, -1.0], [1.0, 1.0]]
A_CARD = """
    const real = WebGL2RenderingContext.prototype.getParameter;
    WebGL2RenderingContext.prototype.getParameter = function (name) {
      return name === 37446 ? "A graphics card" : real.call(this, name);
    };
"""
COUNT_INK = """
    () => {
      const canvas = document.querySelector("[data-map-points]");
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d");
      return new Promise((resolve) => requestAnimationFrame(() => {
        context.drawImage(canvas, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        const colours = new Set();
        for (let at = 0; at < data.length; at += 4) {
          if (data[at + 3] > 200) colours.add(`${data[at] >> 4}/${data[at + 1] >> 4}/${data[at + 2] >> 4}`);
        }
        resolve(colours.size);
      }));
    }
"""


@pytest.fixture
def drawn(bank) -> SimpleNamespace:
    """The bank with a map: its first question in the middle, the last one in a corner."""
    projection_store(
        embedding_set=EmbeddingSet.objects.get(lens="purpose"),
        question_ids=np.array([question.pk for question in bank.questions]),
        coordinates=np.array(PLACES, dtype=np.float32),
        method="pca",
        settings={},
    )
    return bank


def open_map(page: Page, query: str = "") -> tuple[float, float, float]:
    """Go to the map; returns the middle of it and the pixels of one unit."""
    page.goto(f"/map/{query}")
    page.locator("[data-map][data-ready]").wait_for()
    box = page.locator("[data-map-points]").bounding_box()
    return (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, min(box["width"], box["height"]) / 2 * 0.94)


def test_pointing_names_a_question_and_a_click_opens_it(open_as, drawn) -> None:
    page = open_as("teacher")
    x, y, unit = open_map(page)
    second = drawn.questions[1]
    page.mouse.move(x + 0.6 * unit, y - 0.6 * unit)
    expect(page.locator("[data-map-tip]")).to_contain_text(f"Question {second.pk} Solve the equation")
    listed = page.get_by_role("region", name="Selected questions")
    expect(listed.get_by_role("link", name=f"Question {second.pk}")).to_be_visible()
    page.mouse.click(x + 0.6 * unit, y - 0.6 * unit)
    expect(page.locator(".question-number")).to_have_text(f"Question {second.pk}")


def test_dragging_moves_the_map_and_the_wheel_zooms_into_where_one_points(open_as, drawn) -> None:
    page = open_as("teacher")
    x, y, unit = open_map(page)
    tip = page.locator("[data-map-tip]")
    page.mouse.move(x + 40, y + 40)
    page.mouse.down()
    page.mouse.move(x + 140, y + 70, steps=4)
    page.mouse.up()
    page.mouse.move(x + 100, y + 30)
    expect(tip).to_contain_text(f"Question {drawn.questions[0].pk}")

    page.get_by_role("button", name="Whole map").click()
    page.mouse.move(x + 0.6 * unit, y - 0.6 * unit)
    page.mouse.wheel(0, -1000)
    page.mouse.move(x + 0.6 * unit + 3, y - 0.6 * unit)
    expect(tip).to_contain_text(f"Question {drawn.questions[1].pk}")
    page.mouse.move(x, y)
    expect(tip).to_be_hidden()  # the question of the middle has moved away


def test_a_rectangle_lists_the_questions_in_it(open_as, drawn) -> None:
    page = open_as("teacher")
    x, y, unit = open_map(page)
    page.keyboard.down("Shift")
    page.mouse.move(x - unit * 0.8, y - unit * 0.8)
    page.mouse.down()
    page.mouse.move(x + unit * 0.8, y - unit * 0.2, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    listed = page.get_by_role("region", name="Selected questions")
    expect(listed.get_by_role("listitem")).to_have_count(2)


def test_the_keyboard_moves_zooms_and_opens(open_as, drawn) -> None:
    page = open_as("teacher")
    open_map(page)
    page.get_by_role("button", name="Zoom in").focus()
    page.keyboard.press("Shift+Tab")
    status = page.locator("[data-map-status]")
    expect(status).to_contain_text(f"Question {drawn.questions[0].pk}")
    for _time in range(3):
        page.keyboard.press("+")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    expect(status).to_have_text("No question is in the middle of the map.")
    page.keyboard.press("0")
    expect(status).to_contain_text(f"Question {drawn.questions[0].pk}")
    page.keyboard.press("Enter")
    expect(page.locator(".question-number")).to_have_text(f"Question {drawn.questions[0].pk}")


@pytest.mark.parametrize(("script", "painter"), [("", "2d"), (A_CARD, "webgl")], ids=["2d", "webgl"])
def test_either_way_of_drawing_shows_the_colours_of_the_legend(open_as, drawn, script, painter) -> None:
    page = open_as("teacher")
    if script:
        # what is drawn can only be read back where the browser keeps it
        page.add_init_script(
            script
            + """
            const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, options) {
              return get.call(this, kind, { ...options, preserveDrawingBuffer: true });
            };
            """
        )
    open_map(page)
    assert page.locator("[data-map]").get_attribute("data-ready") == painter
    page.wait_for_function(f"async () => (await ({COUNT_INK})()) >= 3")  # three concepts


def test_only_what_the_filter_names_can_be_pointed_at(open_as, drawn) -> None:
    page = open_as("teacher")
    algebra = drawn.hierarchy.concepts.get(name="Algebra")
    x, y, unit = open_map(page, f"?concept={algebra.pk}")
    tip = page.locator("[data-map-tip]")
    page.mouse.move(x + 0.6 * unit, y + 0.6 * unit)  # a circle
    expect(tip).to_be_hidden()
    page.mouse.move(x, y)
    expect(tip).to_contain_text(f"Question {drawn.questions[0].pk}")


def test_a_question_retired_meanwhile_is_no_longer_there(open_as, drawn) -> None:
    page = open_as("teacher")
    open_map(page)
    Question.objects.filter(pk=drawn.questions[0].pk).update(status="retired")
    x, y, _unit = open_map(page)
    page.mouse.move(x, y)
    expect(page.locator("[data-map-tip]")).to_be_hidden()


def test_without_javascript_the_table_leads_to_the_questions(plain_page: Page, drawn) -> None:
    plain_page.goto("/map/")
    expect(plain_page.get_by_text("The map needs JavaScript")).to_be_visible()
    plain_page.get_by_role("link", name="Algebra", exact=True).click()
    expect(plain_page.get_by_role("heading", name="Concepts of level 2")).to_be_visible()
    plain_page.get_by_role("link", name="3 questions on Equations").click()
    expect(plain_page.locator(".hits > li")).to_have_count(3)
