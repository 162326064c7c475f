"""What the findings of a pair say."""

from __future__ import annotations

from analytics.paraphrase.findings.rules import find_changes


def said(original: str, paraphrase: str) -> list[str]:
    """The sentences of what is serious; every place holds what the finding says it holds."""
    findings = find_changes(original, paraphrase)
    for finding in findings:
        assert (finding.original is None) == (finding.change == "added") or finding.kind in {"wording", "unit"}
        for span, text in ((finding.original, original), (finding.paraphrase, paraphrase)):
            if span is not None:
                assert 0 <= span[0] < span[1] <= len(text)
        if finding.kind in {"number", "unit", "comparison"}:
            assert finding.original is None or original[slice(*finding.original)] == finding.before
            assert finding.paraphrase is None or paraphrase[slice(*finding.paraphrase)] == finding.after
    return [finding.sentence for finding in findings if finding.is_serious]
