"""Other things of the same kind in a problem's text, where the thing stands alone and nothing in the text binds it.

"Hot dogs" and "baseball cards" are one thing each: a word is exchanged only where every mention of it has neither a
noun nor an unknown adjective before it and no noun after it. A dog that is walked is not exchanged for a rabbit.
"""

from __future__ import annotations

import re
from random import Random

from questionbank.retelling.editing import replaced

_KINDS = (  # things that may stand for one another, singular/plural or the singular alone; words that bind them
    ("pen pencil ruler eraser", "write|writes|wrote|draw|draws|drew|sharpen|ink|erase|measure"),
    (
        "marble stamp badge sticker shell",
        "beach|sea|shore|album|letter|envelope|postage|mail|jacket|glass|jar",
    ),
    (
        "apple banana pear peach/peaches plum orange",
        "peel|tree|bunch|pie|juice|orchard|slice|cider|core|picked",
    ),
    ("cookie muffin biscuit cupcake", "icing|frosting|chips?|dough|milk"),
    ("rose tulip daisy/daisies lily/lilies", "thorn|bulb|petal|dozen|bouquet"),
    (
        "dog cat rabbit",
        "bark|walk|walks|walked|leash|kennel|shelter|meow|litter|carrot|fur|bone|vet|puppies|kittens",
    ),
    ("chair stool", "desk|tables?|legs?|sit|lean"),
    ("book magazine comic", "library|chapters?|author|read|reads|reading|pages?|shelf|shelves|publish"),
    ("shirt jacket hat scarf/scarves", "sleeves?|buttons?|collar|fabric|wear|wears|wore|iron|wash|washed"),
    ("tomato/tomatoes potato/potatoes carrot onion", "vine|peel|chop|soup|sauce|salad|fries|rows?"),
    ("nail screw bolt", "hammer|polish|drill|wrench"),
    ("cup mug glass/glasses", "ounces?|milliliters|ml|flour|sugar|water|milk|coffee|tea|juice|butter|oil"),
)
_BEFORE = frozenset(
    str.split(
        """
        a an the his her their its my your our some any many much few fewer more less no of and or with for
        from in by to each every all both another other these those this that several same extra additional
        total have has had buy buys bought sell sells sold get gets got give gives gave make makes made bake
        bakes baked eat eats ate need needs needed take takes took lose loses lost find finds found own owns
        owned count counts counted collect collects collected pack packs packed put puts pick picks picked
        plant plants planted use uses used order orders ordered new old big small large little broken single
        one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty dozen
        hundred remaining left than as are were is was share shares shared split how
        """
    )
)
_AFTER = frozenset(
    str.split(
        """
        in on at of for from with to and or but did does do is are was were has have had will would can
        could that which who than each per left altogether all now then more fewer less after before if he
        she they there so as by into onto when while because how between cost costs remain remained
        remaining given total fell fall weigh weighs the a an this these those every equally among together
        away today yesterday last next during until
        """
    )
)


def _forms(word: str) -> tuple[str, str]:
    singular, _slash, plural = word.partition("/")
    return singular, plural or f"{singular}s"


_THINGS = tuple(
    (tuple(map(_forms, names.split())), re.compile(rf"\b(?:{binding})\b")) for names, binding in _KINDS
)
_WORD_BEFORE = re.compile(r"([A-Za-z'’]+) $")
_WORD_AFTER = re.compile(r" ([A-Za-z'’]+)|[-'’]")


def with_other_things(text: str, rng: Random) -> str:
    """Return the text with other things of the same kind; all that is not in the text already may come."""
    for kind, binding in _THINGS:
        present = [thing for thing in kind if _mentions(thing, text)]
        others = [thing for thing in kind if thing not in present]
        if not present or binding.search(text):
            continue
        for thing in present:
            if others and all(_stands_alone(text, *mention.span()) for mention in _mentions(thing, text)):
                text = _renamed(text, thing, others.pop(rng.randrange(len(others))))
    return text


def _mentions(thing: tuple[str, str], text: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"\b(?:{'|'.join(thing)})\b", text, re.IGNORECASE))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a word is no part of a compound, as far as its neighbours tell."""
    before = _WORD_BEFORE.search(text, max(0, start - 30), start)
    after = _WORD_AFTER.match(text, end)
    return (before is None or before[1].lower() in _BEFORE) and (
        after is None or (after[1] or "").lower() in _AFTER
    )


def _renamed(text: str, thing: tuple[str, str], new: tuple[str, str]) -> str:
    forms = dict(zip(thing, new, strict=True))
    edits = []
    for mention in _mentions(thing, text):
        word = forms[mention[0].lower()]
        edits.append((mention.start(), mention.end(), word.capitalize() if mention[0][0].isupper() else word))
    return replaced(text, edits)
