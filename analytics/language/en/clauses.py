"""Where English sentences end, and which clauses ask something."""

from __future__ import annotations

import re

ABBREVIATIONS = r"(?:[A-Za-z]\.)+|(?:{})\.".format(
    "|".join(
        str.split(
            """
            mr mrs ms dr prof st jr sr no nos fig eq ex ch sec vs etc approx cf dept est min max avg ft in
            lb lbs oz yd mi hr hrs sq cu gal pt qt co inc ltd ave blvd jan feb mar apr jun jul aug sep sept
            oct nov dec mon tue wed thu fri sat sun rs p pp vol e\\.g i\\.e a\\.m p\\.m u\\.s
            """
        )
    )
)
"""Regular expression of abbreviations whose full stop does not end a sentence."""

ASKS = re.compile(
    r"^\W*(?:and |then |so |thus |hence |please )?(?:how|what|which|who|whom|whose|when does|where|why|find"
    r"|calculate|compute|determine|evaluate|solve|simplify|express|estimate|prove|show that|give|state|name"
    r"|write down|work out|factor|expand|is it|are there|does|do you|can you)\b"
    r"|\bhow (?:many|much|long|far|old|fast|tall|often)\b"
    r"|\bwhat (?:is|are|was|were|will|would|percent|fraction)\b",
    re.IGNORECASE,
)
