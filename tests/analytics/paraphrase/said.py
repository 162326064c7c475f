"""What the findings of a pair say."""

from __future__ import annotations

from analytics.paraphrase.findings.rules import find_changes

__all__ = ["said"]


def said(original: str, paraphrase: str) -> list[str]:
    """The sentences of what is serious; every place holds what the finding says it holds."""
    findings = find_changes(original, paraphrase)
    for one in findings:
        assert (one.original is None) == (one.change == "added") or one.kind in {"wording", "unit"}
        for span, text in ((one.original, original), (one.paraphrase, paraphrase)):
            if span is not None:
                assert 0 <= span[0] < span[1] <= len(text)
        if one.kind in {"number", "unit", "comparison", "negation"}:
            assert one.original is None or original[slice(*one.original)] == one.before
            assert one.paraphrase is None or paraphrase[slice(*one.paraphrase)] == one.after
    return [one.sentence for one in findings if one.is_serious]
