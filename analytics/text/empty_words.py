"""Words of questions that say nothing of what the question is about, in the form of `search_tokens`."""

from __future__ import annotations

__all__ = ["EMPTY_WORDS", "ONLY_IN_PHRASES"]

EMPTY_WORDS = frozenset(
    str.split(
        """
        about above according actual actually add added adding after again all allowed almost along
        already also although always among amount and another answer any appear are asked away back bad
        based because been before begin beginning being below beside best better between big bigger both
        bought box bring but button buy calculate call called came can cannot case certain change choice
        choose chosen clear click close come compute condition consider contain containing correct
        correctly could currently days decide denote describe described desired determine different
        directly distinct does done down draw drawn during each easily eight either eleven else end
        enough enter equal equally evaluate even ever every exact exactly example except exist expect
        express expressed expression far few fill finally find five follow followed following for found
        four from full further gave get give given goes going gone good got great greater group had
        happen has have having help here hers herself high higher highest him himself his how however
        hundred image include included including inside instead interactive into item its itself job
        just keep kind know known large larger later leave left less let like likely list little longer
        longest look looking low lower lowest made make making many match may might month more most much
        must name need needed never new next nine none nor not nothing notice now obtain off often old
        once one only onto open option original other others our out outside over own particular people
        perform person piece please plus possible present problem provide put question quick quickly
        randomly rather reach read remain remaining represent represented require required respectively
        rest result round rounded same satisfy say section see select selected sentence separate set
        seven shall should show showed shown side simplest simplified simplify since single six small
        smaller solution solve some someone something spend spent start started state statement step
        still student students submit such suppose sure system take taken task ten than that the their
        them themselves then there therefore these they thing things think thirty this those though
        thousand three through thus till time times together told too took top total try turn twelve
        twenty twice two type under unknown until upon use used useful using usually value values
        various very want wanted was way week well went were what whatever when where whether which
        while who whom whose why will wish with within without word words work would write writes
        writing written wrong year yes yet you your yours
        多少 正好 一共 如果 那么 可以 这个 那个 他们 我们 它们 下列 以下 其中 分别 需要
        原来 结果 正确 错误 已知 请问 这样 这些 一个 两个 三个 几个 所有 没有 不是 就是
        还是 已经 可能 应该 必须 至少 最多 最少 最大 最小 至多 每个 各个 另外 全部 一些
        有些 为了 因为 所以 但是 而且 或者 以及 现在 后来 开始 最后 然后 同时 同样 相同
        不同 关于 得到 使得 进行 组成 表示 填上 填入 求出 计算 答案 问题 题目 选择 选项
        条件 情况 如图 如下 一定 刚好 恰好 大约 共有 还有 多出 平均每 这时 此时 每次 第一
        第二 第三 一次 两次 小明 小红 小华 小刚 小丽 小强 小军 小东 小林 同学 老师 学生
        元素 之和 之间 个数 数字 以后 以前 剩下 余下 还剩 多少个 多少元 几分之几 这种 那些
        什么 怎样 怎么
        """
    )
)
"""They say that there is a question; English ones of four letters and more."""

ONLY_IN_PHRASES = frozenset(
    str.split(
        """
        common complete constant diagram figure first form greatest half highest largest last least
        level line long lowest mean number order part place point random right second similar simple
        smallest table term third unit whole
        """
    )
)
"""They say something beside another word only: "decimal place", "right angle", "least common multiple"."""
