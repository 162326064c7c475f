"""What axe says about a page, and whether the page fits its window."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.e2e.conftest import DESK, TABLET, TELEPHONE

LEVELS = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# What size and theme can change; names, roles and headings are the same in both, and are checked once.
LOOK_RULES = {"type": "rule", "values": ["color-contrast", "target-size", "scrollable-region-focusable"]}
# Only the violations leave the page: what axe passes is most of its answer, and most of its time.
RUN_AXE = "async ([within, options]) => (await axe.run(within ?? document, options)).violations"

# Layout depends on the size and contrast on the theme, not one on the other: two pairs cover both.
LOOKS = ((DESK, "light"), (TELEPHONE, "dark"))


def complaints(page: Page, theme: str = "light", *, within: str | None = None) -> list[str]:
    """What axe finds: everything in the light theme, and in the dark one what looks can change.

    Args:
        within: selector of the only part that is looked at; by default the whole page.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
    rules = LEVELS if theme == "light" else LOOK_RULES
    violations = page.evaluate(RUN_AXE, [within, {"runOnly": rules, "resultTypes": ["violations"]}])
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
    ]


def faults(page: Page) -> list[str]:
    """What is wrong with the page that is open, unfolded: by axe, or too wide for a desk, a tablet or a telephone."""
    unfold_everything(page)
    problems = []
    for size, theme in LOOKS:
        look_as(page, size, theme)
        page.evaluate("scrollTo({top: 0, behavior: 'instant'})")  # nothing is half hidden by a sticky bar
        problems += complaints(page, theme)
        problems += [f"wider than {size[0]} pixels"] if is_too_wide(page) else []
    look_as(page, TABLET, "light")
    problems += [f"wider than {TABLET[0]} pixels"] if is_too_wide(page) else []
    look_as(page, DESK, "light")
    return problems


def look_as(page: Page, size: tuple[int, int], theme: str) -> None:
    """Give the window a size and a theme; colours change at once, since nothing moves."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")


def unfold_everything(page: Page) -> None:
    page.evaluate("document.querySelectorAll('main details').forEach((fold) => (fold.open = true))")


def is_too_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
