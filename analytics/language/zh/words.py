"""Chinese words by their role, where sentences end, what questions ask for, and how their parts are reordered."""

from __future__ import annotations

import re

COMMON: frozenset[str] = frozenset()
"""Chinese is recognised by its characters."""

EMPTY = frozenset(
    str.split(
        """
        一个 一些 一共 一定 一次 三个 下列 不同 不是 两个 两次 个数 中学 为了 之和 之间 什么 他们 以下 以前 以及
        以后 但是 余下 使得 元素 全部 公里 公顷 共有 关于 其中 几个 几分之几 分别 分米 分钟 刚好 剩下 千克 千米
        厘米 原来 另外 可以 可能 各个 同学 同时 同样 后来 因为 填上 填入 多出 多少 多少个 多少元 大约 如下 如图
        如果 学校 学生 它们 小东 小丽 小军 小刚 小华 小学 小强 小时 小明 小林 小红 就是 已知 已经 平均每 平方
        平方千米 平方厘米 平方米 年级 应该 开始 得到 必须 怎么 怎样 恰好 情况 我们 或者 所以 所有 数字 最后 最多
        最大 最小 最少 有些 条件 正好 正确 此时 每个 每次 毫米 求出 没有 然后 现在 班级 相同 立方 立方分米
        立方厘米 立方米 第一 第三 第二 答案 组成 结果 老师 而且 至多 至少 表示 计算 计算器 请问 还剩 还是 还有
        这个 这些 这时 这样 这种 进行 选择 选项 那个 那么 那些 错误 问题 需要 题目
        """
    )
)
"""Words that show that there is a question, but not what it is about."""

ONLY_IN_PHRASES: frozenset[str] = frozenset()


def search_word(word: str) -> str:
    """Return a word in Latin letters unchanged: a Chinese text has few of them, and few are plurals."""
    return word


ABBREVIATIONS = "(?!)"
"""Regular expression of abbreviations whose full stop does not end a sentence; Chinese has none."""

ASKS = re.compile("多少|几[^何乎]|[^要需力谋追讲请]求|^求|哪|什么|吗|是否|计算|化简|解方程|证明|怎样|如何")

PART_END = re.compile(r"(?:[。！？；，?]|[.．,](?!\d))\s*")
QUESTION = re.compile(r"多少|几|什么|哪|求|[?？]")
ORDER = re.compile(r"(?!)")
QUESTION_MARK = "？"
FULL_STOP = "。"
_PART = "[甲乙丙]|[\u4e00-\u9fff]{2}"
NAMES_IN_RATIO = re.compile(
    rf"(?P<a>{_PART})(?:数|班|队|组)?(?:[、和与]|的人数和)(?P<b>{_PART})(?:(?:数"
    rf"|班|队|组)?[、和与](?P<c>{_PART}))?(?=[^，。]{{0,12}}比|(?<=给[甲乙丙]、[甲乙丙])"
    rf"|(?<=给[甲乙丙]、[甲乙丙]、[甲乙丙]))"
)

_HOW_MANY = re.compile(r"几|多少")
_COUNTED = re.compile(  # measure words of things that are counted
    r"(?:几|多少)[个人本只辆棵名头张支条台朵筐箱袋块盒件套双把瓶枚页间位班种架艘匹根颗粒株束幢座排层节组队次题户车盏副桶]"
    r"(?!小时|钟头|月|星期|世纪|百分|单位)"
)
_NO_NUMBER = re.compile(r"(?:什么(?:颜色|名字|地方|动物|水果)|叫什么)[^，,]*$")


def asks_for_count(text: str) -> bool:
    """Return whether a text finally asks how many things there are."""
    matches = list(_HOW_MANY.finditer(text))
    return bool(matches) and _COUNTED.match(text, matches[-1].start()) is not None


def asks_no_number(question: str, _clause: str) -> bool:
    """Return whether a question asks for a name, a colour, a place ..."""
    return _NO_NUMBER.search(question) is not None
