"""Values that a process keeps."""

from __future__ import annotations

from questionbank.core.cached import KeyedCache


def test_only_values_that_are_not_kept_are_looked_for_and_the_longest_unused_go_first():
    asked: list[str] = []

    def find(missing: list[str]) -> dict[str, int]:
        asked.append("".join(missing))
        return {key: ord(key) for key in missing if key != "-"}

    kept: KeyedCache[str, int] = KeyedCache(most=2)
    assert kept("abab", find) == {"a": 97, "b": 98}
    assert kept("a", find) == {"a": 97}
    assert kept("c-", find) == {"c": 99}  # in place of b; what has no value is asked for again
    assert kept("-cba", find) == {"a": 97, "b": 98, "c": 99}
    assert asked == ["ab", "c-", "-b"]
