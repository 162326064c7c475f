"""Texts in a language that an encoder does not know are refused."""

from __future__ import annotations

import pytest

from analytics.errors import DataError
from tests.tiny_backbone import tiny_backbone

ENGLISH, CHINESE = "Ann has 3 pens and 4 cups.", "小明有三支铅笔，又买了四支。"


def test_a_text_in_an_unknown_script_is_refused_with_what_to_do():
    with pytest.raises(DataError, match=r"does not know .*% .* choose another backbone, such as multilingual-e5"):
        tiny_backbone().refuse_unknown_language([CHINESE])


@pytest.mark.parametrize("texts", [[], [ENGLISH], [*[ENGLISH] * 300, CHINESE]])
def test_a_few_foreign_texts_do_no_harm(texts):
    tiny_backbone().refuse_unknown_language(texts)


def test_foreign_texts_anywhere_in_a_large_set_are_seen():
    with pytest.raises(DataError, match="does not know"):
        tiny_backbone().refuse_unknown_language([ENGLISH] * 2_000 + [CHINESE] * 2_000)
