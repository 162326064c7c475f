"""The documentation of the API, whose script is a library's, runs under the site's policy."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def execute(page: Page, operation: str) -> str:
    """Try an operation out and return the status of its response."""
    section = page.locator(f"#operations-{operation}")
    section.locator(".opblock-summary-control").click()
    section.get_by_role("button", name="Try it out").click()
    section.get_by_role("button", name="Execute", exact=True).click()
    status = section.locator(".live-responses-table .response-col_status").last
    expect(status).not_to_be_empty()
    return status.inner_text().strip()


def test_requests_are_tried_out_in_the_browser_s_session(teacher_page: Page) -> None:
    teacher_page.goto("/api/docs/")
    assert execute(teacher_page, "me-get_me") == "200"
    assert execute(teacher_page, "lists-create_list") == "201"  # with the CSRF token
