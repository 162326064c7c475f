"""What templates draw without a script."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from questionbank.core.wording import percent_text
from questionbank.templatetags.pages import ICONS, bar, difficulty_scale, figure, icon, with_lists, worth_showing

BASE_DIR = Path(__file__).resolve().parents[3]
TEMPLATES = sorted((BASE_DIR / "templates").rglob("*.html"))


@pytest.mark.parametrize(
    ("share", "written"), [(0.734, "73%"), (0.004, "<1%"), (0.0, "0%"), (0.999, ">99%"), (1.0, "100%"), (None, "")]
)
def test_a_probability_is_never_rounded_to_certainty(share, written) -> None:
    assert percent_text(share) == written


@pytest.mark.parametrize(("share", "width"), [(0.5, "50.0%"), (-1, "0.0%"), (7, "100.0%"), (None, "0.0%")])
def test_a_bar_stays_within_its_track(share, width) -> None:
    assert f'class="bar-fill" width="{width}"' in bar(share)


def test_a_bar_can_have_another_scale() -> None:
    assert 'width="25.0%"' in bar(25, scale=100)


def test_the_scale_draws_the_interval_and_tells_an_estimate_by_its_shape() -> None:
    estimate = difficulty_scale(40, 20, 70, True)
    assert 'x="20.0%"' in estimate
    assert 'width="50.0%"' in estimate
    assert "scale-hollow" in estimate
    assert "scale-point" in difficulty_scale(40)
    assert "scale-band" not in difficulty_scale(40)


def test_an_interval_beyond_the_scale_is_cut() -> None:
    assert 'x="0.0%" y="6" width="100.0%"' in difficulty_scale(50, -20, 140)


def test_pictures_are_hidden_from_screen_readers() -> None:
    for picture in (icon("search"), bar(0.5), difficulty_scale(50)):
        assert 'aria-hidden="true"' in picture


def test_next_to_impossible_concepts_are_left_out_but_there_is_always_an_alternative() -> None:
    guesses = [SimpleNamespace(probability=share) for share in (0.99, 0.004, 0.003, 0.0)]
    assert worth_showing(guesses) == guesses[:2]
    guesses = [SimpleNamespace(probability=share) for share in (0.5, 0.3, 0.1, 0.009)]
    assert worth_showing(guesses) == guesses[:3]


def test_figures_of_a_result_are_readable() -> None:
    assert figure(1234567) == "1,234,567"
    assert figure({"en": 2, "zh_cn": 3}) == "en: 2, zh_cn: 3"


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(BASE_DIR / "templates")))
def test_no_template_needs_what_the_content_security_policy_forbids(template: Path) -> None:
    source = template.read_text()
    assert not re.search(r"\sstyle\s*=", source)
    assert not re.search(r"\son[a-z]+\s*=", source)
    assert "<style" not in source
    for script in re.findall(r"<script\b[^>]*>", source):
        assert "src=" in script
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//", source)


def test_no_style_sheet_or_script_of_ours_comes_from_elsewhere() -> None:
    for path in [*(BASE_DIR / "static").rglob("*.css"), *(BASE_DIR / "static").rglob("*.js")]:
        source = path.read_text()
        assert not re.search(r"@import|https?://", source), path
        for address in re.findall(r"url\(\s*[\"']?([^\"')]*)", source):
            assert (path.parent / address).is_file(), path


def test_the_font_of_formulas_has_its_licence_beside_it() -> None:
    fonts = sorted((BASE_DIR / "static" / "fonts").glob("*.woff2"))
    assert fonts
    for font in fonts:
        assert "SIL OPEN FONT LICENSE" in font.with_name(f"{font.stem}-LICENSE.txt").read_text()


def test_colours_are_named_in_one_place() -> None:
    for path in (BASE_DIR / "static" / "css").glob("*.css"):
        if path.name != "tokens.css":
            assert not re.search(r"#[0-9a-f]{3,8}\b|rgb\(", path.read_text()), path.name


def test_every_icon_that_a_template_names_exists() -> None:
    named = {name for path in TEMPLATES for name in re.findall(r'{% icon "([a-z]+)" %}', path.read_text())}
    assert named <= set(ICONS)


def test_lines_that_begin_with_a_hyphen_become_a_list() -> None:
    text = "Accept it if:\n\n- it is <b>clear</b>\n- it is right\n\nElse reject it."
    assert with_lists(text) == (
        "<p>Accept it if:</p><ul><li>it is &lt;b&gt;clear&lt;/b&gt;</li><li>it is right</li></ul><p>Else reject it.</p>"
    )
    assert with_lists("") == ""
