"""Which Chinese clauses ask something."""

from __future__ import annotations

import re

ABBREVIATIONS = "(?!)"
"""Regular expression of abbreviations whose full stop does not end a sentence; Chinese has none."""

ASKS = re.compile("多少|几[^何乎]|[^要需力谋追讲请]求|^求|哪|什么|吗|是否|计算|化简|解方程|证明|怎样|如何")
