"""The search tokens as the database sees them."""

from __future__ import annotations

import pytest
from django.db import connection

from analytics.text.tokens import search_tokens

QUESTIONS = [
    r"Anna's 1,250 apples cost $\frac{x^{10}}{3.50} \leqslant a_1$, 20\% of café prices; e.g. 1e5 or 3d5.",
    "小明家到学校的距离是1200米，他每分钟走60.5米，需要多少分钟才能到达学校？",
    r"已知$\triangle ABC$中，$\angle A=90^\circ$，$\sin^2\theta = \sqrt[3]{0.05}$，$x_{n+1}$，α+β",
]


@pytest.mark.django_db
def test_postgresql_keeps_every_token_whole_and_as_it_is() -> None:
    tokens = sorted({token for question in QUESTIONS for token in search_tokens(question)})
    assert len(tokens) > 50
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT token FROM unnest(%s::text[]) AS token"
            " WHERE tsvector_to_array(to_tsvector('simple', token)) <> ARRAY[token]",
            [tokens],
        )
        assert cursor.fetchall() == []
