"""Random expression trees for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from analytics.expression.tree import ExpressionTree

_numbers = st.sampled_from(["0", "1", "2", "3", "10", "0.5", "25%", "5(1/2)"]).map(ExpressionTree)
_slots = st.sampled_from(["N0", "N1", "N2", "N3", "1", "100"]).map(ExpressionTree)


def _over(leaves: st.SearchStrategy[ExpressionTree], operators: list[str]) -> st.SearchStrategy[ExpressionTree]:
    def extend(children: st.SearchStrategy[ExpressionTree]) -> st.SearchStrategy[ExpressionTree]:
        two = st.builds(
            lambda label, a, b: ExpressionTree(label, (a, b)), st.sampled_from(operators), children, children
        )
        unary = st.builds(lambda label, a: ExpressionTree(label, (a,)), st.sampled_from(["neg", "%"]), children)
        return two | unary

    return st.recursive(leaves, extend, max_leaves=8)


number_trees = _over(_numbers, ["+", "-", "*", "/", "^"])
slot_trees = _over(_slots, ["+", "-", "*", "/"])
