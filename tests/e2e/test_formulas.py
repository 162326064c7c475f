r"""What stretches covers what it stands for: measured in the pixels that the browser draws.

`\overline{142857}` over two of its digits is another number, and nothing but a picture shows it.
"""

from __future__ import annotations

import base64

import pytest

from questionbank.rendering import render_question

BASES = {"two letters": "AB", "six digits": "142857", "a sum": "x+y-2z"}
OVER = (
    r"\overline \overrightarrow \overleftarrow \overleftrightarrow \Overrightarrow \overleftharpoon \overrightharpoon "
    r"\widehat \widecheck \widetilde \overbrace \overparen \wideparen \overarc \overset{\frown} \stackrel\frown "
    r"\overbracket \overgroup"
).split()
UNDER = r"\underline \underbrace \underrightarrow \underleftarrow \underbracket \underparen".split()
LABELLED = r"\xrightarrow \xleftarrow \xleftrightarrow \xRightarrow \xLeftarrow \xmapsto".split()
LEAST = 0.9

INK = """
async ([png, scale, band]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const [left, top, width, height] = band.map((each) => Math.round(each * scale));
  const pixels = context.getImageData(left, top, width, Math.max(height, 1)).data;
  const paper = context.getImageData(0, 0, 1, 1).data;
  let inked = 0;
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      const at = 4 * (y * width + x);
      if ([0, 1, 2].reduce((sum, i) => sum + Math.abs(pixels[at + i] - paper[i]), 0) > 40) {
        inked++;
        break;
      }
    }
  }
  return inked / width;
}
"""
BOXES = """
(box) => [...box.querySelectorAll("math")].map((formula) => {
  const node = formula.querySelector("mover, munder, menclose");
  const sides = ({left, top, right, bottom}) => [left, top, right, bottom];
  const box = (element) => sides(element.getBoundingClientRect());
  return [box(node), [...node.children].map(box)];
})
"""
MARGIN = 10  # px around a formula


def drawn(page, latex: list[str]):
    """Show formulas, each in a block; return a picture of them and the boxes of the first element that stretches."""
    page.goto("/accounts/login/")
    html = "".join(f"<div>{render_question(f'${source}$')}</div>" for source in latex)
    page.evaluate(
        """(html) => {
          const box = document.createElement("div");
          box.id = "formulas";
          box.innerHTML = html;
          document.body.replaceChildren(box);
        }""",
        html,
    )
    page.evaluate('document.fonts.load("20px STIX Two Math").then(() => document.fonts.ready.then(() => 0))')
    assert page.locator(".formula-source").count() == 0
    picture = base64.b64encode(page.screenshot(full_page=True)).decode()
    return picture, page.eval_on_selector("#formulas", BOXES)


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_bars_arrows_and_hats_cover_what_they_stand_over(open_browser, base):
    page = open_browser(device_scale_factor=2)
    commands = [*OVER, *UNDER]
    picture, boxes = drawn(page, [f"{command}{{{base}}}" for command in commands])
    covered = {}
    for command, (outer, (body, *_rest)) in zip(commands, boxes, strict=True):
        left, top, right, bottom = body
        band = (
            [left, outer[1] - MARGIN, right - left, top - outer[1] + MARGIN - 0.5]
            if command in OVER
            else [left, bottom + 0.5, right - left, outer[3] + MARGIN - bottom]
        )
        covered[command] = page.evaluate(INK, [picture, 2, band])
    assert {command: share for command, share in covered.items() if share < LEAST} == {}


def test_arrows_are_as_long_as_their_labels(open_browser):
    page = open_browser(device_scale_factor=2)
    picture, boxes = drawn(page, [rf"{command}{{\text{{divide both sides by 2}}}}" for command in LABELLED])
    covered = {}
    for command, (_outer, (arrow, label)) in zip(LABELLED, boxes, strict=True):
        band = [label[0], label[3] + 1, label[2] - label[0], arrow[3] - label[3]]
        covered[command] = page.evaluate(INK, [picture, 2, band])
    assert {command: share for command, share in covered.items() if share < LEAST} == {}


def test_strokes_and_the_sign_of_a_long_division_cover_what_they_enclose(open_browser):
    page = open_browser(device_scale_factor=2)
    commands = (r"\cancel", r"\bcancel", r"\xcancel", r"\longdiv", r"\sout")
    picture, boxes = drawn(page, [rf"{command}{{\phantom{{142857}}}}" for command in commands])
    covered = {
        command: page.evaluate(INK, [picture, 2, [outer[0], outer[1], outer[2] - outer[0], outer[3] - outer[1]]])
        for command, (outer, _children) in zip(commands, boxes, strict=True)
    }
    assert {command: share for command, share in covered.items() if share < LEAST} == {}
