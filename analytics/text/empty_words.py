"""Words of questions that say nothing of what the question is about, in the form of `search_tokens`."""

from __future__ import annotations

EMPTY_WORDS = frozenset(
    str.split(
        """
        about above according actual actually add added adding after again all allowed almost along
        already also although always among amount and another answer any appear are asked away back bad
        based because been before begin beginning being belong below beside best better between big
        bigger both bought box bring but button buy calculate calculator call called came can cannot
        case casio cent centimeter centimetre certain change choice choose chosen classpad clear click
        close come compute condition consider contain containing correct correctly could currently days
        decide denote describe described desired determine different directly distinct does dollar done
        down draw drawn during each easily eight either eleven else end enough enter equal equally
        evaluate even ever every exact exactly example except exist expect express expressed expression
        far feet few fill finally find five follow followed following foot for found four from full
        further gave get give given goes going gone good got gram graphing great greater group guarantee
        guaranteed had happen has have having help here hers herself high higher him himself his hour
        how however hundred image inch include included including inside instead interactive into item
        its itself job just keep kilogram kilometer kilometre kind know known large larger later leave
        left less let like likely list liter litre little longer longest look looking low lower made
        make making many match may meter metre might mile minute month more most much must name need
        needed never new next nine none nor not nothing notice now obtain off often old once one only
        onto open option original other others our out outside over own particular people perform person
        piece please plus possible present problem provide put question quick quickly randomly rather
        reach read remain remaining replace replaced represent represented require required respectively
        rest result round rounded same satisfy say section see select selected sentence separate set
        seven shall should show showed shown side simplest simplified simplify since single six small
        smaller solution solve some someone something spend spent start started state statement step
        still student students submit such suppose sure system take taken task technology ten than that
        the their them themselves then there therefore these they thing things think thirty this those
        though thousand three through thus till time times together told too took top total try turn
        twelve twenty twice two type under unknown until upon use used useful using usually value values
        various very want wanted was way week well went were what whatever when where whether which
        while who whom whose why will wish with within without word words work would write writes
        writing written wrong year yes yet you your yours
        一个 一些 一共 一定 一次 三个 下列 不同 不是 两个 两次 个数 中学 为了 之和 之间
        什么 他们 以下 以前 以及 以后 但是 余下 使得 元素 全部 公里 公顷 共有 关于 其中
        几个 几分之几 分别 分米 分钟 刚好 剩下 千克 千米 厘米 原来 另外 可以 可能 各个 同学
        同时 同样 后来 因为 填上 填入 多出 多少 多少个 多少元 大约 如下 如图 如果 学校 学生
        它们 小东 小丽 小军 小刚 小华 小学 小强 小时 小明 小林 小红 就是 已知 已经 平均每
        平方 平方千米 平方厘米 平方米 年级 应该 开始 得到 必须 怎么 怎样 恰好 情况 我们 或者
        所以 所有 数字 最后 最多 最大 最小 最少 有些 条件 正好 正确 此时 每个 每次 毫米
        求出 没有 然后 现在 班级 相同 立方 立方分米 立方厘米 立方米 第一 第三 第二 答案 组成
        结果 老师 而且 至多 至少 表示 计算 计算器 请问 还剩 还是 还有 这个 这些 这时 这样
        这种 进行 选择 选项 那个 那么 那些 错误 问题 需要 题目
        """
    )
)
"""They say that there is a question; English ones of four letters and more."""

ONLY_IN_PHRASES = frozenset(
    str.split(
        """
        common complete constant diagram figure first form greatest half highest largest last least
        level line long lowest mean negative number order part place point positive random right second
        similar simple smallest table term third unit whole
        """
    )
)
"""They say something beside another word only: "decimal place", "right angle", "least common multiple"."""
