"""Chinese clauses that relate numbers, by kind of relation, for `analytics.solver.rules.relations`.

Numbers are already parsed and appear as ``#0``, ``#1`` without their units: 梨树比桃树多#1棵.
"""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re

LESS = frozenset("少 小 轻 矮 短 便宜 低 窄 薄 减 减去".split())
LIMBS = {
    "腿": {"鸡": 2, "鸭": 2, "鹅": 2, "鹤": 2, "兔": 4, "羊": 4, "牛": 4, "猪": 4, "龟": 4},
    "轮": {"自行车": 2, "摩托车": 2, "三轮车": 3, "汽车": 4, "小汽车": 4, "轿车": 4, "小轿车": 4},
}
LIMBS |= {"脚": LIMBS["腿"], "足": LIMBS["腿"], "轮子": LIMBS["轮"], "车轮": LIMBS["轮"]}
HEADS = frozenset("头 车".split())
COINS: dict[str, int] = {}
FACTORS: dict[str, int] = {}
PRONOUNS = frozenset("它 他 她 这 这个数".split())
PEOPLE = frozenset("人 学生 同学 儿童 孩子".split())
PEOPLE_PARTS = frozenset("男生 女生 男同学 女同学 男孩 女孩".split())
TWO_TIMES = re.compile("(?:年前|年后|[前后]).*(?:现在|今年)的|[明后前去]年")
HAS = re.compile("还|有")
ASKS_REST = re.compile("还|剩")
WHOLES = frozenset("树 动物 车 球 花 水果".split())
OF_WHOLE = frozenset("全书 全长 总数 全部 全程 全文 总页 页数 其中".split())
PAST = re.compile("原|这|全长|总|共")
FUTURE = re.compile("那时|到时")
WHO: frozenset[str] = frozenset()
ASKED_BEFORE = re.compile("(?:多少|几)个?$")
UNMEASURED = "none"
UNIT = "单位"
"""Placeholder for a unit that belongs to no number."""

_CS = r"(?:[只个本棵张支枝条辆头朵筐箱袋块盒件套双把瓶枚页名位人株匹颗粒根盆台架艘间户次道份场元米克吨升角]|岁|千克|公斤|厘米|分米|毫升|平方米)?"
_C = f"(?P<c>{_CS})"
_STOP = "比是共倍几和与、有多少各每求差再加减乘除剩余占离距种其了卖吃借左右前后#"
_NP = rf"(?:(?:(?![{_STOP}])[\u4e00-\u9fffA-Za-z]|其(?!中)|(?<=[\u4e00-\u9fff])(?:多(?=多)))+?)"
_LIST = rf"{_NP}(?:、{_NP})*(?:和|与|、){_NP}"
_COUNT = (
    r"(?:(?:(?P<count>#\d+)|[两二三])(?:个?数|个?人|[种个者堆筐袋班队组箱车]|个?[车间小]+[组间]|个?班|兄弟|姐妹)?)?"
)
_N = r"#\d+"
_OF = r"(?:的?(?:年龄|岁数|[只棵人个本张辆件朵]数|数量|身高|体重|价钱|价格|重量|长度|高度|质量))"
_EVERY = r"(?:(?:他|她|它|我)们(?:#\d+[个]?人?)?|(?:#\d+|两)个?(?:数|人|班|队|组|车间|种\w{0,3}|者|堆|筐|袋|箱)|这#\d+个?数|(?:#\d+|两)[支个种本位名条根袋筐]?(?:笔|书|绳子?|人)|两者|二者|三人|三者|全部|所有)"
_MORE = r"(?P<more>便宜|多|少|大|小|重|轻|高|矮|长|短|贵|低|宽|窄|厚|薄)"
_IS = r"(?:是|为|等于|正好是|相当于|有)"
_MANY = r"(?:多少|几)"

_WHO = r"(?:[^#每各比共吃看用修卖运走借行喝读完栽]{0,8})"
_DONE = r"(?:吃|看|用|修|卖|运|走|借|行|喝|读|完成|栽)(?:去|出|走|掉)?了?"
_REST = r"(?:剩下|余下|剩余|还剩下?|剩)"
_WHOLE = r"(?:全书|全长|总数|全部|全程|全文|总页数|这[^#的]{1,5}|它|其中|一半)"
REST = re.compile(_REST)

EVERYONE = re.compile(rf"{_EVERY}{_OF}?")
TWO_NUMBERS = re.compile(r"这?(?:(?P<count>#\d+)|两)个?(?:自然|整)?数")
THERE = re.compile(r"(?!)")
SUPERLATIVES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("middle", re.compile("中")),
    ("smallest", re.compile("小")),
    ("largest", re.compile("大")),
)
OLD = re.compile("岁|年龄")
MATTERS = re.compile(r".*(?:#|每|各|同样|相等|平均|剩|余|倍|比|共|多少|几|半|其余|求)")
MAY_BE_LEFT = re.compile("")

_TRIM = re.compile(
    r"^(?:已知|其中|如果|那么|则|又|且|而|但是?|也|求|问|请问|假如|若|现在|现有|先)+|(?:现在|正好|刚好|恰好|恰|就|还|已经|也|刚)"
)
_NOUN_TAIL = re.compile(rf"{_OF}$|(?<=[甲乙丙丁])数$|(?<=[甲乙丙])$")


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


TIMES_OF_AGE: tuple[tuple[int, re.Pattern[str]], ...] = (
    (1, _p(rf"(?:再?过)?(?P<t>{_N})(?:以后|之后|后)[，,]?(?P<clause>.+)")),
    (-1, _p(rf"(?P<t>{_N})(?:以前|之前|前)[，,]?(?P<clause>.+)")),
    (0, _p(r"当?(?P<event>.+?)(?:的时候|时)[，,]?(?P<clause>.+)")),
)
UNKNOWN_TIME = _p(r"(?:再?过)?多少(?:年)?(?:以后|之后|后)?[，,]?(?P<clause>.+(?:是|等于).+)")

# fmt: off
STATEMENTS: tuple[tuple[str, str], ...] = (
    ("consecutive", rf"(?P<count>{_N})个?(?:相邻|连续)的?(?:(?P<step>偶|奇|双|单)|自然|整)?数(?:的|之)?和{_IS}(?P<n>{_N})"),
    ("ratio", rf"(?:[^每各#]{{1,8}}[里中上内])?(?P<list>{_LIST}){_COUNT}{_OF}?的?比[是为](?P<r>{_N}[:：∶]{_N}(?:[:：∶]{_N})?)"),
    ("difference", rf"(?:(?P<list>这?(?:{_N}|两)个?(?:自然|整)?数|它们|{_LIST}){_COUNT}(?:的|之)?)?(?:差[是为]?|相差)(?P<n>{_N})"),
    ("sum", rf"(?:(?P<list>{_LIST}|{_EVERY}){_COUNT}{_OF}?(?:的|之)?)?(?:总?和|年龄之?和){_IS}(?P<n>{_N}){_C}"),
    ("sum", rf"买?(?P<list>{_LIST}){_COUNT}{_OF}?(?:一?共|总共|合计)(?:有|用了?|需要?|要|是|重|种|养|养了|种了|买了|花了|花|为)?(?:{_NP})?(?P<n>{_N}){_C}(?:{_NP})?"),
    ("sum", rf"(?:[^每各#]{{1,8}}?[里中上内园校店场家]|{_NP})(?:有|养了?|种了?|买了?|买来|购进|运来)(?P<list>{_LIST}){_COUNT}(?:一?共|总共)?(?:有|计)?(?P<n>{_N}){_C}(?:{_NP})?"),
    ("sum", rf"(?P<list>{_EVERY})?(?:一?共|总共|合起来|合计)(?:有|是|重|养了?|种了?|买了?|花了?)?(?:{_NP})?(?P<n>{_N}){_C}(?P<noun>{_NP})?"),
    ("times", rf"(?:(?P<a>{_NP}){_OF}?)?比(?P<b>{_NP}){_OF}?的?(?P<m>{_N})倍还?(?P<more>多|少|大|小|长|短|重|轻|高)(?P<n>{_N}){_C}"),
    ("times", rf"(?:(?P<a>{_NP}){_OF}?)?{_IS}(?P<b>{_NP}){_OF}?的?(?P<m>{_N})倍(?P<more>多|少)(?P<n>{_N}){_C}"),
    ("times", rf"(?:(?P<a>{_NP}){_OF}?)?{_IS}(?P<b>{_NP}){_OF}?的?(?P<m>{_N})倍?"),
    ("more", rf"(?:(?P<a>{_NP}){_OF}?)?比(?P<b>{_NP}){_OF}?还?{_MORE}了?(?P<n>{_N}){_C}(?P<noun>{_NP})?"),
    ("part", rf"(?P<name>{_WHO}){_DONE}(?:(?P<w>{_REST}|{_WHOLE})的?)?(?P<f>{_N})"),
    ("part", rf"(?P<name>{_WHO}){_DONE}(?P<n>{_N}){_C}(?:{_NP})?"),
    ("part", rf"其中(?P<f>{_N})是(?P<name>{_NP})"),
    ("left", rf"(?:还|现在|这时)?(?:{_REST}|还有|有){_NP}?(?P<n>{_N}){_C}(?:{_NP}|没有?.{{1,4}})?"),
    ("begin", r"(?:有|我想|想)?(?:一个数|某数)"),
    ("phrase", rf"(?:一个数|某数)的(?P<m>{_N})倍?(?P<more>加上?|减去?|多|少)(?P<n>{_N})(?:的?[和差])?(?:{_IS}|得到?)(?P<s>{_N})"),
    ("phrase", rf"(?:一个数|某数)的(?P<m>{_N})倍?(?:{_IS}|得到?)(?P<s>{_N})"),
    ("multiply", rf"(?:一个数|某数|它|把它)?先?再?乘(?:以|上)?(?P<n>{_N})"),
    ("divide", rf"(?:一个数|某数|它|把它)?先?再?除以(?P<n>{_N})"),
    ("add", rf"(?:一个数|某数|它)?先?再?加上?(?P<n>{_N})"),
    ("subtract", rf"(?:一个数|某数|它)?先?再?减去?(?P<n>{_N})"),
    ("result", rf"(?:最后|结果|所得的?结果|得数|所得的?[和差积商])?(?:是|得到?|等于|为)?(?P<n>{_N})"),
    ("value", rf"(?:[^每各#]{{1,8}}[里中上内])有(?P<noun>{_NP})(?P<n>{_N}){_C}"),
    ("value", rf"(?:[^每各#]{{1,8}}[里中上内])有(?P<n>{_N}){_C}(?P<noun>{_NP})"),
    ("value", rf"(?P<a>{_NP})有(?P<noun>{_NP})?(?P<n>{_N}){_C}"),
    ("value", rf"(?P<a>{_NP})有(?P<n>{_N}){_C}(?P<noun>{_NP})?"),
    ("value", rf"有(?P<noun>{_NP})(?P<n>{_N}){_C}"),
    ("value", rf"(?P<a>{_NP}){_OF}?(?:是|为|重|高|长|种了?|养了?|做了?|折了?|买了?)?(?P<n>{_N}){_C}"),
)

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("difference", rf"(?P<a>{_NP}){_OF}?比(?P<b>{_NP}){_OF}?{_MORE}{_MANY}{_CS}(?P<noun>{_NP})?"),
    ("total", rf"(?:(?P<list>{_LIST}|{_EVERY}){_COUNT}(?:的|之)?{_OF}?)?(?:一?共|总共|合起来)(?:有|重|种|养|是|买了?)?(?P<noun>{_NP})?{_MANY}{_CS}(?:{_NP})?"),
    ("total", rf"(?P<list>{_LIST}|{_EVERY}){_COUNT}{_OF}?(?:的|之)?和是{_MANY}"),
    ("superlative", rf"(?:这?{_N}个?数中?)?(?P<which>(?:最|较|更)?[大小中]的?间?的?(?:一个)?[偶奇]?(?:自然)?数?)[是为]?(?:{_MANY})?"),
    ("number", rf"(?:这个数|原来的数|某数|这个数字|原数|原来这个数)(?:(?:是|为)(?:{_MANY})?)?"),
    ("left", rf"(?:还|现在|这时)?(?:{_REST}|还有){_NP}?{_MANY}{_CS}(?:{_NP}|没有?.{{1,4}})?"),
    ("whole", rf"(?:这[^#]{{1,5}}|原来|原有)?(?:一?共|总共|全长|原来|原有)(?:有|长|是)?{_MANY}{_CS}(?:{_NP})?"),
    ("part_asked", rf"(?P<name>{_WHO}){_DONE}{_MANY}{_CS}(?:{_NP})?"),
    ("one", rf"(?P<a>{_NP})有(?P<noun>{_NP})?{_MANY}{_CS}(?P<noun2>{_NP})?"),
    ("one", rf"(?P<a>{_NP}){_OF}?(?:的?单价)?(?:是|为|重|高|长|种了?|养了?|做了?)?{_MANY}{_CS}"),
    ("one", rf"(?P<a>[甲乙丙]数?|(?!.*一个数){_NP}{_OF})"),
    ("one", rf"有?{_MANY}{_CS}(?P<noun>{_NP})"),
)
# fmt: on


def tidied(clause: str) -> str:
    """Return a clause without words that are irrelevant to its numbers."""
    clause = re.sub(r"[\s“”\"‘’?？．]+", "", clause).strip("，,。；：:")
    clause = clause.replace("鸡兔", "鸡、兔").replace("兔子", "兔")
    clause = re.sub("(?:百|几)分之(?:几|多少)", "#", clause)  # no pattern matches these
    clause = _TRIM.sub("", clause)
    clause = re.sub(r"(?<=[甲乙丙])(?=[乙丙丁])", "、", clause)
    clause = re.sub(r"(?:多少|几)单位(?:钱)?", "多少", clause)
    return clause.replace(UNIT, "")


def name_of(words: str) -> tuple[str, str]:
    """Return the owner and the thing that a noun phrase names; either may be empty."""
    words, before = words.strip("的"), ""
    while words != before:
        before, words = words, _NOUN_TAIL.sub("", words).strip("的") or words
    words = re.sub(r"^一[^的]?(?=[^的]{2})", "", words) if re.match(r"一[支本个根条头只件张把辆块]", words) else words
    words = re.sub("^今年(?=.)|(?<=.)今年$", "", words)
    owner, _sign, thing = words.partition("的")
    return owner, thing


def thing_of(words: str) -> str:
    """Return what is counted."""
    return name_of(words)[0] if words else ""


def attribute(_word: str) -> str:
    """Return nothing: a Chinese story is assumed to measure only one thing."""
    return ""


def action(_verb: str) -> str:
    """Return nothing: no pattern captures the action."""
    return ""


def is_thing(_words: str) -> bool:
    """Return False: names of things and of owners look alike."""
    return False


def retold(text: str) -> str:
    """Return a text unchanged."""
    return text


def with_subject(clause: str) -> str:
    """Return a clause with a pronoun added as its subject."""
    return f"它{clause}"


def content(words: str) -> frozenset[str]:
    """Return the pairs of characters that distinguish one part from another."""
    return frozenset(words[place : place + 2] for place in range(len(words) - 1))


def alike(names: list[str]) -> list[str]:
    """Return names unchanged."""
    return names


def listed(words: str) -> list[str]:
    """Return the noun phrases of a list."""
    return [part for part in re.split("、|和|与", words) if part]


def splits(sentence: str) -> list[tuple[str, str]]:
    """Return the possible splits of a sentence into two clauses."""
    found = [(sentence[: m.start()], sentence[m.end() :]) for m in re.finditer(r"[，,；;：:](?!\d)", sentence)]
    found += [
        (sentence[: m.start()], sentence[m.start() :])
        for m in re.finditer(r"(?<=#\d)(?:再|得|等于|结果|加|减|乘|除)|(?<=数)(?:乘|除|加|减)", sentence)
    ]
    return found
