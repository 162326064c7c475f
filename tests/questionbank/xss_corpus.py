r"""Attempts to bring script into a page through a question's text, its options or its LaTeX.

`XSS_CORPUS` is one flat list: each entry is rendered as a text, as an option and as a formula's source, here by the
renderer's own tests and again in a real browser. `MARKER` is what a script that ran would have set on `window`.
"""

from __future__ import annotations

from dataclasses import dataclass

MARKER = "kindredWasHere"
_RUN = f"window.{MARKER}=1"
_IMAGE = f"<img src=x onerror={_RUN}>"


@dataclass(frozen=True, slots=True)
class XssAttempt:
    """One attempt: what it tries, and the text that tries it."""

    name: str
    text: str


def _formula(name: str, latex: str) -> list[XssAttempt]:
    """The same LaTeX between every kind of delimiters."""
    return [
        XssAttempt(f"{name} in dollars", f"Find ${latex}$ now"),
        XssAttempt(f"{name} in display dollars", f"Find\n\n$${latex}$$\n\nnow"),
        XssAttempt(f"{name} in brackets", rf"Find \[{latex}\] now"),
    ]


_PROSE = {
    "script": f"<script>{_RUN}</script>",
    "upper-case script": f"<SCRIPT>{_RUN}</SCRIPT>",
    "script in an unclosed tag": f"<script {_RUN}//",
    "image with an event": _IMAGE,
    "image without blanks": f"<img/src=x/onerror={_RUN}>",
    "vector image": f"<svg onload={_RUN}>",
    "vector image with a script": f"<svg><script>{_RUN}</script></svg>",
    "animated attribute": f"<svg><animate onbegin={_RUN} attributeName=x dur=1s>",
    "link": f'<a href="javascript:{_RUN}">x</a>',
    "link with a tab": f'<a href="java\tscript:{_RUN}">x</a>',
    "markdown link": f"[x](javascript:{_RUN})",
    "markdown picture": f"![x](javascript:{_RUN})",
    "markup in a picture's description": f"![{_IMAGE}](x.png)",
    "formula in a picture's description": rf"![$\text{{{_IMAGE}}}$]()",
    "picture that breaks out of an attribute": f'![" onload="{_RUN}](x)',
    "frame": f'<iframe src="javascript:{_RUN}"></iframe>',
    "frame with its own document": f'<iframe srcdoc="&lt;script&gt;parent.{_RUN}&lt;/script&gt;"></iframe>',
    "form": f'<form action="javascript:{_RUN}"><button autofocus onfocus={_RUN}>x</button></form>',
    "details": f"<details open ontoggle={_RUN}>x</details>",
    "style": f"<style>@import 'javascript:{_RUN}';</style>",
    "style attribute": f'<p style="background:url(javascript:{_RUN})">x</p>',
    "meta refresh": f'<meta http-equiv=refresh content="0;url=javascript:{_RUN}">',
    "base": '<base href="https://example.invalid/">',
    "template": f"<template><script>{_RUN}</script></template>",
    "noscript": f'<noscript><p title="</noscript>{_IMAGE}">',
    "title": f"<title></title>{_IMAGE}",
    "textarea": f"<textarea></textarea>{_IMAGE}",
    "xmp": f"<xmp></xmp>{_IMAGE}",
    "comment": f"<!--><script>{_RUN}</script>-->",
    "conditional comment": f"<!--[if gte IE 4]><script>{_RUN}</script><![endif]-->",
    "cdata": f"<![CDATA[><script>{_RUN}</script>]]>",
    "processing instruction": f'<?xml version="1.0"?><script>{_RUN}</script>',
    "doctype": f"<!DOCTYPE x [<!ENTITY e '{_IMAGE}'>]>&e;",
    "entities": f"&lt;script&gt;{_RUN}&lt;/script&gt;",
    "numeric entities": f"&#60;script&#62;{_RUN}&#60;/script&#62;",
    "hexadecimal entities without semicolon": f"&#x3cscript&#x3e{_RUN}",
    "full-width angle brackets": f"＜script＞{_RUN}＜/script＞",
    "nul in a tag": f"<scr\x00ipt>{_RUN}</scr\x00ipt>",
    "text-mode macros for angle brackets": rf"\textless script\textgreater{{}}{_RUN}\textless{{}}/script",
    "macros for an image": rf"\textless{{}}img src=x onerror={_RUN}\textgreater{{}}",
    "style macro": rf"\textbf{{{_IMAGE}}}",
    "superscript": rf"\textsuperscript{{<script>{_RUN}</script>}}",
    "code": f"`{_IMAGE}`",
    "bold markdown": f"**{_IMAGE}**",
    "unbalanced braces": rf"}}}}}}\textbf{{\emph{{{_IMAGE}",
    "answer blank": rf"\uline{{~~}}{_IMAGE}____<b onclick={_RUN}>____</b>",
    "drawing": f'[asy]label("</pre></details>{_IMAGE}");[/asy]',
    "drawing that never ends": f"[asy]{_IMAGE}",
    "table": rf"\begin{{tabular}}{{c}}{_IMAGE} & <script>{_RUN}</script> \\ $\text{{{_IMAGE}}}$\end{{tabular}}",
    "table's columns": rf"\begin{{tabular}}{{{_IMAGE}}} a & b \end{{tabular}}",
    "column span": rf"\begin{{tabular}}{{cc}}\multicolumn{{2}}{{c}}{{{_IMAGE}}}\\ a&b\end{{tabular}}",
    "list": rf"\begin{{itemize}}\item {_IMAGE}\end{{itemize}}",
    "raw MathML": f"<math><mi>x</mi><mtext>{_IMAGE}</mtext></math>",
    "raw MathML link": f'<math href="javascript:{_RUN}"><mi>x</mi></math>',
    "raw MathML action": f'<math><maction actiontype=statusline xlink:href="javascript:{_RUN}">x</maction></math>',
    "raw annotation": f'<math><semantics><annotation-xml encoding="text/html">{_IMAGE}</annotation-xml></math>',
    "namespace confusion": f"<math><mtext><table><mglyph><style><!--</style>{_IMAGE}",
    "namespace confusion through a form": f"<form><math><mtext></form><form><mglyph><style></math>{_IMAGE}",
    "namespace confusion through title": f'<svg></p><style><a id="</style>{_IMAGE}">',
    "foreign object": f"<svg><foreignObject><math><mi><script>{_RUN}</script></mi></math></foreignObject></svg>",
}

_LATEX = {
    "script in text": rf"\text{{<script>{_RUN}</script>}}",
    "image in text": rf"\text{{{_IMAGE}}}",
    "image in bold text": rf"\textbf{{{_IMAGE}}}",
    "image in a box": rf"\mbox{{{_IMAGE}}}",
    "image in a framed box": rf"\fbox{{{_IMAGE}}}",
    "bare markup": f"x<script>{_RUN}</script>y",
    "bare image": _IMAGE,
    "link": rf"\href{{javascript:{_RUN}}}{{x}}",
    "address": rf"\url{{javascript:{_RUN}}}",
    "style": rf"\style{{background:url(javascript:{_RUN})}}{{x}}",
    "class": r"\class{button\" onclick=\"x}{y}",
    "identifier": r"\cssId{x\" onclick=\"y}{z}",
    "html attribute": rf"\htmlData{{x=\" onload={_RUN}}}{{y}}",
    "colour that breaks out": rf"\color{{red\" onload=\"{_RUN}}}x",
    "text colour": rf"\textcolor{{red\"><script>{_RUN}</script>}}{{x}}",
    "colour box": rf"\colorbox{{\"><script>{_RUN}</script>}}{{x}}",
    "space that breaks out": rf"\hspace{{1em\" onload=\"{_RUN}}}x",
    "rule": rf"\rule{{1em\" onload=\"x}}{{{_RUN}}}",
    "unicode": r"\unicode{x3c}script\unicode{x3e}",
    "unicode with markup": r"\unicode{<img src=x onerror=alert(1)>}",
    "entities in text": rf"\text{{&lt;script&gt;{_RUN}&lt;/script&gt;}}",
    "numeric entities in text": rf"\text{{&#x3c;script&#x3e;{_RUN}&#x3c;/script&#x3e;}}",
    "doubly escaped entities": rf"\text{{&amp;#x3c;script&amp;#x3e;{_RUN}}}",
    "entity outside text": rf"&#x3c;img src=x onerror={_RUN}&#x3e;",
    "verbatim": rf"\verb|<script>{_RUN}</script>|",
    "operator name": rf"\operatorname{{<script>{_RUN}</script>}}",
    "tag": rf"x\tag{{<script>{_RUN}</script>}}",
    "annotation": rf"\text{{</annotation></semantics></math>{_IMAGE}}}",
    "annotation-xml": rf"\text{{<annotation-xml encoding=\"text/html\">{_IMAGE}</annotation-xml>}}",
    "closing the formula": rf"</math>{_IMAGE}",
    "glyph": rf"\text{{<mglyph><style><img src=x onerror={_RUN}>}}",
    "cdata": rf"\text{{<![CDATA[<img src=x onerror={_RUN}>]]>}}",
    "comment": rf"\text{{<!-- --><script>{_RUN}</script>}}",
    "breaking out of the source's attribute": rf"x\" onmouseover=\"{_RUN}\" y=\"",
    "breaking out with an apostrophe": f"x' onmouseover='{_RUN}' y='",
    "breaking out with a bracket": f'x"><script>{_RUN}</script>',
    "macro": rf"\newcommand{{\x}}{{<script>{_RUN}</script>}}\x",
    "macro bomb": "".join(rf"\def\{chr(97 + n)}{{\{chr(98 + n)}\{chr(98 + n)}}}" for n in range(20)) + r"\a",
    "file": r"\input{/etc/passwd}\include{x}\write18{id}",
    "environment's name": r"\begin{<script>}x\end{<script>}",
    "array's columns": rf"\begin{{array}}{{{_IMAGE}}}x&y\end{{array}}",
    "limits": rf"\sum\limits_{{<script>{_RUN}</script>}}",
    "deep braces": "{" * 10_000 + "x" + "}" * 10_000,
    "deep roots": r"\sqrt" * 4_000 + "x",
    "deep scripts": "x" + "^{x" * 2_000 + "}" * 2_000,
    "deep left and right": r"\left(" * 2_000 + "x" + r"\right)" * 2_000,
    "deep fractions": r"\frac{1}{" * 1_500 + "x" + "}" * 1_500,
}

XSS_CORPUS: list[XssAttempt] = [
    *(XssAttempt(name, text) for name, text in _PROSE.items()),
    *(attempt for name, latex in _LATEX.items() for attempt in _formula(f"LaTeX: {name}", latex)),
    *(XssAttempt(f"LaTeX outside a formula: {name}", latex) for name, latex in _LATEX.items()),
]
"""Every attempt; each is also worth trying as an option's text."""
