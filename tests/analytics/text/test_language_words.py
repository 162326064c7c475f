"""The language that a text is evidently in."""

from __future__ import annotations

import pytest

from analytics.text.language_words import evident_language


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "de",
            [
                "Berechne 3/4 + 1/2.",
                "Ein Kreis hat den Radius 5 cm. Wie groß ist sein Umfang?",
                "Löse 2x = 4.",
                "Vereinfache: a) 3x + 2x  b) 5y - y",
                "Zwei Würfel werden geworfen.",
            ],
        ),
        (
            "fr",
            [
                "Calculer 3/4 + 1/2.",
                "Un train roule à 80 km/h. Quelle distance parcourt-il ?",
                "Résoudre 2x = 4.",
                "Développer (x + 2)(x - 3).",
            ],
        ),
        ("es", ["Resuelve la ecuación 2x + 3 = 11.", "Juan tiene 12 canicas y regala 5. ¿Cuántas le quedan?"]),
        ("it", ["Risolvi l'equazione 2x + 3 = 11.", "Marco ha 12 biglie e ne regala 5. Quante ne rimangono?"]),
        ("pt", ["Resolva a equação 2x + 3 = 11.", "João tem 12 bolas e dá 5 ao Pedro. Quantas bolas ficam?"]),
        ("nl", ["Jan heeft 12 knikkers en geeft er 5 aan Piet. Hoeveel heeft hij er nog?"]),
        ("ru", ["Решите уравнение 2x + 3 = 11."]),
        ("ja", ["次の方程式を解きなさい。2x + 3 = 11"]),
        ("zh", ["解方程 2x + 3 = 11。", "小明有12个苹果，给了小红5个。"]),
        (
            "en",
            [
                "Solve 2x+3=11.",
                "Simplify: a) 3x + 2x b) 5y - y c) 2(a + b) - a",
                "Ann is on a train to Paris. De Moivre's theorem.",
                "Le Corbusier built 3 towers with 12 floors each. How many floors?",
                "The die is rolled. What is P(6)?",
            ],
        ),
        ("", ["2x + 3 = 11", "y = a x + b", "$\\frac{1}{2}$", "", "Prime numbers"]),
    ],
)
def test_a_language_is_told_by_its_script_or_its_commonest_words(language, texts):
    assert [evident_language(text) for text in texts] == [language] * len(texts)
