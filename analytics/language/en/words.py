"""English words by their role."""

from __future__ import annotations

COMMON = frozenset(
    str.split(
        "the a an of to in on at for and with from by was is are were be has have had do does did he she they it his"
        " her their its this that there how many much what which who if each more than as or not will would can all"
        " into out up one two your you find per"
    )
)
"""Words that occur in nearly every sentence."""

EMPTY = frozenset(
    str.split(
        """
        about above according actual actually add added adding after again all allowed almost along already
        also although always among amount and another answer any appear are asked away back bad based
        because been before begin beginning being belong below beside best better between big bigger both
        bought box bring but button buy calculate calculator call called came can cannot case casio cent
        centimeter centimetre certain change choice choose chosen classpad clear click close come compute
        condition consider contain containing correct correctly could currently days decide denote describe
        described desired determine different directly distinct does dollar done down draw drawn during each
        easily eight either eleven else end enough enter equal equally evaluate even ever every exact
        exactly example except exist expect express expressed expression far feet few fill finally find five
        follow followed following foot for found four from full further gave get give given goes going gone
        good got gram graphing great greater group guarantee guaranteed had happen has have having help here
        hers herself high higher him himself his hour how however hundred image inch include included
        including inside instead interactive into item its itself job just keep kilogram kilometer kilometre
        kind know known large larger later leave left less let like likely list liter litre little longer
        longest look looking low lower made make making many match may meter metre might mile minute month
        more most much must name need needed never new next nine none nor not nothing notice now obtain off
        often old once one only onto open option original other others our out outside over own particular
        people perform person piece please plus possible present problem provide put question quick quickly
        randomly rather reach read remain remaining replace replaced represent represented require required
        respectively rest result round rounded same satisfy say section see select selected sentence
        separate set seven shall should show showed shown side simplest simplified simplify since single six
        small smaller solution solve some someone something spend spent start started state statement step
        still student students submit such suppose sure system take taken task technology ten than that the
        their them themselves then there therefore these they thing things think thirty this those though
        thousand three through thus till time times together told too took top total try turn twelve twenty
        twice two type under unknown until upon use used useful using usually value values various very want
        wanted was way week well went were what whatever when where whether which while who whom whose why
        will wish with within without word words work would write writes writing written wrong year yes yet
        you your yours
        """
    )
)
"""Words of four letters or more that show that there is a question, but not what it is about."""

ONLY_IN_PHRASES = frozenset(
    str.split(
        """
        common complete constant diagram figure first form greatest half highest largest last least level
        line long lowest mean negative number order part place point positive random right second similar
        simple smallest table term third unit whole
        """
    )
)
"""Words that carry meaning only in a phrase: "decimal place", "right angle", "least common multiple"."""

_NOT_PLURAL = frozenset(
    str.split("does goes always perhaps series species lens news mathematics physics gas sometimes besides whereas")
)


def search_word(word: str) -> str:
    """Remove a plural s. The result is a word again, so that it can be offered as a spelling suggestion."""
    if len(word) < 4 or word[-1] != "s" or word in _NOT_PLURAL or word.endswith(("us", "ss", "is")):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")) or (word.endswith("oes") and len(word) > 5):
        return word[:-2]
    return word[:-1]


_IRREGULAR_PLURALS = {"children": "child", "people": "person", "men": "man", "women": "woman", "feet": "foot"}


def singular(word: str) -> str:
    """Return a lower-case noun without its plural ending; for comparison, not for display.

    >>> singular("boxes"), singular("berries"), singular("children"), singular("glass")
    ('box', 'berry', 'child', 'glass')
    """
    return search_word(_IRREGULAR_PLURALS.get(word, word))
