"""Template filters for question text: `{{ question.text|mathematics }}`."""

from __future__ import annotations

import re

from django import template
from django.utils.safestring import SafeString, mark_safe

from questionbank.formats.pictures import with_addresses
from questionbank.rendering.titles import LONGEST_TITLE, question_title, render_excerpt, render_laid_out

register = template.Library()

_SPACED_OPERATOR = re.compile(r" ([+\u2212\u00d7\u00f7^]) ")  # plus, minus, times, divided by, to the power of


@register.filter
def mathematics(text: object) -> SafeString:
    """Render a question's text as paragraphs, formulas, tables and parts."""
    return mark_safe(render_laid_out(str(text or "")))  # noqa: S308 - built from an allow-list


@register.filter
def pictured(text: object, question: object) -> str:
    """Replace picture names in one of a question's texts by URLs: `text|pictured:question|mathematics`."""
    content = question.get("content") if isinstance(question, dict) else getattr(question, "content", None)
    pictures = content.get("pictures", ()) if isinstance(content, dict) else ()
    return with_addresses(str(text or ""), pictures)


@register.filter
def mathematics_inline(text: object, limit: int = 0) -> SafeString:
    """Render a text on one line, cut after `limit` characters but never in a formula: `text|mathematics_inline:90`."""
    return mark_safe(render_excerpt(str(text or ""), int(limit)))  # noqa: S308 - as above


@register.filter
def plain_title(text: object, limit: int = LONGEST_TITLE) -> str:
    """Return the beginning of a question as plain text, for titles and link names; the template escapes it."""
    return question_title(str(text or ""), int(limit))


@register.filter
def unbroken(sentence: object) -> str:
    """Put no-break spaces into the formulas of a sentence, so that each stays on one line."""
    return _SPACED_OPERATOR.sub("\u00a0\\1\u00a0", str(sentence))
