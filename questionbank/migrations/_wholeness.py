"""The rules by which PostgreSQL finds questions that lack a figure, and those that draw their numbers, as 0053 sets them.

A copy of `analytics.text.wholeness` as it was: a later change there needs a migration of its own. Earlier migrations take
them over from here, since 0053 computes both columns anew in any case.
"""

from functools import reduce
from operator import or_

from django.db.models import BooleanField, F, Func, Q, TextField, Value
from django.db.models.functions import Cast
from django.db.models.lookups import Regex

TEXT, OPTIONS = F("text"), Cast("options", TextField())
PICTURE, UNNAMED = '!\\[[^]]*\\]\\(', '!\\[[^]]*\\]\\( *\\)'
MARKS = ('\\[asy\\]', '\\\\includegraphics', '\\\\begin *\\{(?:asy|tikzpicture|pspicture|picture)\\}', '<(?:img|svg)[ >]', '\\[(?:[Ii]nsert )?(?:[Ii]mage|[Ff]igure|[Dd]iagram|[Gg]raph|[Pp]icture|[Pp]ic)[^]$]{0,40}\\]')
HINT = 'figure|diagram|[Gg]raph|picture|drawing|illustrat|sketch|chart|pictogra|histogram|number.line|plot|grid|spinner|photo|image|map|net |nets |curve|shown|depicted|s (?:drawn|seen)|[Ff]ig|[Tt]able|below|above|[图表]'
FIGURES = ('(?<![A-Za-z-])(?:figure|diagram|graph|picture|drawing|illustration|sketch|chart|pictogra(?:ph|m)|histogram|number[ -]line|scatter ?plot|dot ?plot|box ?plot|plot|grid|spinner|photo(?:graph)?|image|map|net|curve)s?(?: (?:(?:shown|given|drawn|displayed|pictured|provided|depicted|illustrated|sketched|presented|represented|plotted)|is|are|was))*,? ?(?:above|below|here|opposite|overleaf|(?:at|to|on) (?:the |its )?(?:right|left)|alongside|on the next page)(?![A-Za-z]| (?:his|her|their|the|a|an|[0-9]))', '(?<![A-Za-z-])[Gg]raphs?(?: of [^.?!]{1,60})? (?:is|are) (?:shown|given|pictured|displayed)(?: (?:above|below|here|opposite|overleaf|(?:at|to|on) (?:the |its )?(?:right|left)|alongside|on the next page))?(?![A-Za-z]| by| in| that)', '(?<![A-Za-z-])(?:figure|diagram|graph|picture|drawing|illustration|sketch|chart|pictogra(?:ph|m)|histogram|number[ -]line|scatter ?plot|dot ?plot|box ?plot|plot|grid|spinner|photo(?:graph)?|image|map|net|curve)s? (?:is|are) (?:shown|pictured|provided)(?![A-Za-z]| by| that| to)', '(?<![A-Za-z-])(?:above|accompanying|attached|adjacent|adjoining|following|given) (?:bar |pie |line |circle |column |picture |Venn |tree |scatter )?(?:figure|diagram|picture|image|chart|pictogra(?:ph|m)|histogram|graph|drawing|illustration|spinner|number line)s?(?![A-Za-z]| paper)', '(?<![A-Za-z-])(?:[Ii]n|[Ff]rom|[Oo]n|[Ss]ee|[Rr]efer(?:ring)? to|[Uu]s(?:e|ing)|[Aa]ccording to|[Bb]y|[Ss]tudy) the (?:bar |pie |line |circle |column |picture |Venn |tree |scatter )?(?:figure|diagram|picture|chart|pictogra(?:ph|m)|histogram|illustration|bar graph|line graph|circle graph)(?![A-Za-z]| of| frame| book)', '(?<![A-Za-z-])[Tt]he (?:bar |pie |line |circle |column |picture |Venn |tree |scatter )?(?:figure|diagram|picture|chart|pictogra(?:ph|m)|histogram|graph) (?:shows|represents|illustrates|depicts|displays)(?![A-Za-z])', '(?<![A-Za-z-])[Aa]s (?:is )?(?:shown|pictured|illustrated|depicted|drawn|sketched|seen)(?: here)?(?:[.,;?)]| (?:in|on) (?:the )?(?:figure|diagram|graph|picture|drawing|illustration|sketch|chart|pictogra(?:ph|m)|histogram|number[ -]line|scatter ?plot|dot ?plot|box ?plot|plot|grid|spinner|photo(?:graph)?|image|map|net|curve)s?(?! of)| (?:above|below|here|opposite|overleaf|(?:at|to|on) (?:the |its )?(?:right|left)|alongside|on the next page)(?!:))', '(?<![A-Za-z-])(?:triangle|square|rectangle|circle|parallelogram|trapezoid|trapezium|rhombus|quadrilateral|polygon|pentagon|hexagon|heptagon|octagon|decagon|dodecagon|semicircle|ellipse|parabola|hyperbola|kite|star|lattice|maze|shape|solid|cube|prism|pyramid|cylinder|cone|region|angle|line|spinner|clock|ruler|thermometer|scale|pattern|die|net|floor plan|sector|tree)s?(?: [A-Z$][^.?! ]{0,12})? (?:(?:is|are|as) )?(?:shown|pictured|depicted|illustrated)(?: (?:above|below|here|opposite|overleaf|(?:at|to|on) (?:the |its )?(?:right|left)|alongside|on the next page)|[.,?])', '(?<![A-Za-z-])(?:(?:triangle|square|rectangle|circle|parallelogram|trapezoid|trapezium|rhombus|quadrilateral|polygon|pentagon|hexagon|heptagon|octagon|decagon|dodecagon|semicircle|ellipse|parabola|hyperbola|kite|star|lattice|maze|shape|solid|cube|prism|pyramid|cylinder|cone|region|angle|line|spinner|clock|ruler|thermometer|scale|pattern|die|net|floor plan|sector|tree)s?|(?:figure|diagram|graph|picture|drawing|illustration|sketch|chart|pictogra(?:ph|m)|histogram|number[ -]line|scatter ?plot|dot ?plot|box ?plot|plot|grid|spinner|photo(?:graph)?|image|map|net|curve)s?) shown(?![A-Za-z]| that| by| to)', '(?<![A-Za-z-])[Tt]he (?:[a-z]+ )?(?:triangle|square|rectangle|circle|parallelogram|trapezoid|trapezium|rhombus|quadrilateral|pentagon|hexagon|octagon|polygon|parabola|spinner)s? (?:below|above)(?:[.,?]| is| has| are)', '(?<![A-Za-z-])graphed (?:above|below|here|opposite|overleaf|(?:at|to|on) (?:the |its )?(?:right|left)|alongside|on the next page)|(?<![A-Za-z-])[Ii]n this (?:figure|diagram|picture)(?![A-Za-z])', '(?<![A-Za-z-])[Ff]ig(?:ure|\\.)? ?[0-9]', '(?<![A-Za-z-])(?:[Ss]haded|[Cc]olou?red) (?:part|region|area) (?:shown|below|above)(?![A-Za-z])', '[如下上右左]图', '(?<![地意框计])图中', '图(?:示|所示|[0-9①②③一二三甲乙]|\\()')
LAYOUTS = ('\\\\begin *\\{(?:tabular|longtable|table)', '\\\\begin *\\{array\\} *\\{[|lcr]{3,}\\}', '<t[dr][ >]', '\\|[^|\\n]+\\|[^|\\n]+\\|')
TABLES = ('(?<![A-Za-z-])(?:[Tt]able|[Cc]hart)s? (?:(?:(?:shown|given|drawn|displayed|pictured|provided|depicted|illustrated|sketched|presented|represented|plotted)|is|are) )*(?:above|below|here|opposite|overleaf|(?:at|to|on) (?:the |its )?(?:right|left)|alongside|on the next page)(?![A-Za-z])', '(?<![A-Za-z-])(?:above|accompanying|attached|following|given) (?:frequency |data )?table(?![A-Za-z]| of integrals)', '(?<![A-Za-z-])(?:[Ii]n|[Ss]ee|[Uu]s(?:e|ing)|[Aa]ccording to|[Cc]omplete|[Ff]ill in) the (?:frequency |data )?table(?![A-Za-z])', '(?<![A-Za-z-])[Tt]he (?:frequency |data )?table (?:shows|gives|lists)(?![A-Za-z])', '(?<!以)[下上]表(?![达示])', '表(?:中|所示|格中)')
DATA = ('\\\\begin *\\{(?:tabular|longtable|table|array|[a-z]?matrix)', '<t[dr][ >]', '[|\\t]', '(?:[0-9][0-9.,/%]*[^0-9.?!]{1,25}){3,}[0-9]', '&[^&]*&', '\\[[#.]')
DRAWING = ('\\[asy\\](?:[^[]|\\[[^/])*\\[/asy\\]|!\\[[^]]*\\]\\([^()]*\\)', ' ')
FORMULA = ('\\$\\$[^$]*\\$\\$|\\$[^$]*\\$|`[^`]*`|\\\\\\((?:[^\\\\]|\\\\[^)])*\\\\\\)|\\\\\\[(?:[^\\\\]|\\\\[^]])*\\\\\\]', ' $ ')
OUTSIDE = ('(?s)(\\$\\$[^$]*\\$\\$|\\$[^$]*\\$|`[^`]*`|\\\\\\((?:[^\\\\]|\\\\[^)])*\\\\\\)|\\\\\\[(?:[^\\\\]|\\\\[^]])*\\\\\\])|[^$`\\\\]+|.', '\\1;')
COMMAND = ('\\\\(?:text[a-z]*|mbox|math[a-z]*|operatorname\\*?|hbox|begin|end|label|rm|color|unit|qty|si|SI|ce|hspace|vspace|hskip|kern|rule) ?\\{[^{}]*\\}|\\\\[A-Za-z]+', ' ')
PLACEHOLDERS = (  # a cheap sign of it, what is replaced first, then what is looked for
    ("", (), (
        '\\{[@#][^{}]{1,80}[@#]\\}|\\[\\[ ?(?:input|validation|feedback) ?:',
        '(?<![_^}A-Za-z\\\\])\\{\\{\\{? ?[A-Za-z][A-Za-z0-9_]*(?:\\.[A-Za-z0-9_]+)* ?\\}\\}',
        '\\{% ?[a-z]+ [^{}%]*%\\}|<%=?[^<>%]+%>',
        '\\\\Sexpr ?\\{|`r [a-z]|\\\\var ?\\{[A-Za-z]|\\\\simplify(?:\\[[^]]*\\])? ?\\{',
        '\\[ ?\\$[A-Za-z][^]$]{0,40}\\]|\\[_{2,}\\] ?\\{|\\\\\\{ ?(?:ans_rule|image)',
        '\\{=[^{}=]+\\}(?!\\$)|\\{_[0-9]+\\}|\\$\\{[a-z]{3,}\\}',
        '^(?:[^$]*\\$[^$]*\\$)*[^$]*\\$\\{?[A-Za-z][^$]*[ (=+*/^]\\$\\{?[a-z][a-z0-9]?(?![A-Za-z_0-9])',
        '^(?:[^$]*\\$[^$]*\\$)*[^$]*(?<![A-Z])\\$[a-z][0-9]?(?![A-Za-z0-9(=_])[^$]*$',
    )),
    ('[a-z]{3}[0-9]', (DRAWING,), ('(?<![A-Za-z0-9\\\\/#])(?!(?:a?(?:sin|cos|tan|sec|csc|cot)|arc(?:sin|cos|tan)|(?:sin|cos|tan)h|log|lg|exp|sqrt|root|cbrt|abs|mod|max|min|gcd|lcm|det|deg|lim|sum|int|step|part|case|fig|figure|day|week|month|year|grade|level|room|team|group|class|stage|type|form|unit|section|chapter|problem|question|exercise|example|table|line|page|version|number|player|point|side|angle|area|box|bag|card|row|column|col|set|item|task|train|car|bus|jar|tank|machine|pipe|store|shop|test|quiz|round|game|trial|plan|option|method|covid|iphone|and|are|the|than|then|for|with|from|when|has|have|cos|hour|abc|bcd|abcd|xyz|mnp|pqr|rst|uvw)[0-9])[0-9]?[a-z]{3,}[0-9]{1,2}(?![0-9a-z]|[.,][0-9])',)),
    ('\\{[a-z]|name|ronoun|[a-z]{3}[A-Z]|[a-z]{3}_[a-z]', (DRAWING, FORMULA), ("(?<![A-Za-z0-9{}_^\\\\\\]列项])(?<!sequence )(?<!set )(?<!progression )\\{[a-z](?!n\\}|_n)[A-Za-z0-9_]{0,15}\\}|(?:^|[.?!:] |\\n)name[ ’']|(?:^|[^A-Za-z’'])(?:did|does|can|should|has) (?:name|pronoun) |(?<![A-Za-z])[Pp]ronoun (?:has|had|is|was|did|does|wants|needs)|(?<![A-Za-z])[a-z]{3,}[A-Z][a-z]{3,}|(?<![A-Za-z\\\\_./&?])[a-z]{3,}_[a-z]{3,}(?![a-z]*[./@])",)),
    ('\\{[a-z]|displaystyle|cdot|times', (DRAWING, OUTSIDE), ('(?<![\\\\_^}{A-Za-z0-9\\]*/] )(?<![\\\\_^}{A-Za-z0-9\\]*/!;,|\\n)&$])\\{[a-z][a-z0-9]{0,11}\\}(?![_^{\\]])|\\\\displaystyle(?!log|sin|cos|tan|lim)[A-Za-z]|\\\\(?:cdot|times)(?:[b-oq-rt-z]|p[a-z])[A-Za-z]*[0-9]',)),
    ('[$`]|\\\\[(\\[]', (DRAWING, OUTSIDE, COMMAND), ('(?<![A-Za-z])[a-z](?:[a-z]+[0-9]?|[0-9])(?<!sin)(?<!cos)(?<!tan)(?!Sin|Cos|Tan|Log)[A-Z][a-z]{2,}|[a-z]{2,}(?<!sin)(?<!cos)(?<!tan)[CU](?![A-Za-z])|(?<![A-Za-z\\\\_&?])[a-z]{3,}_[a-z]{3,}|[xya]?yint(?![A-Za-z])|(?<![A-Za-z])(?:left|right) ?[<>=+*/^]|[<>=+*/^(] ?(?:left|right)(?![A-Za-z])|(?<![A-Za-z])(?:my[a-z]{2,4}|func|fname|poly|var|num|denom|den|ans|eqn|expr|rhs|lhs|str|disp|coeff?|thetadisp|ineq|symbol)[0-9]*(?![A-Za-z])|[$`] ?[-+]?(?:expression|function|equation|left|right|problem|question|symbol|rational|number|answer|power|angle|part|total|order|display|poly|sequence|product|value|point|original|price|second|first|realstring|quad|complex|frac|fun|female|male|new|base) ?(?:=[^$`]*)?[$`]|[$`][^$` ]*[0-9A-Za-z)} ] ?= ?(?!(?:a?(?:sin|cos|tan|sec|csc|cot)|arc(?:sin|cos|tan)|(?:sin|cos|tan)h|log|lg|exp|sqrt|root|cbrt|abs|mod|max|min|gcd|lcm|det|deg|lim|sum|int|[x-z]+|[a-h]+)[^a-z])[a-z]{3,} ?[.,]?[$`]|[(,$] ?[a-z]+[0-9]{1,2}\\](?:[,$]| *\\))|[a-z][A-Za-z]*[0-9]\\]\\]|(?:f\\([a-z]\\) ?= ?f|g\\([a-z]\\) ?= ?g|h\\([a-z]\\) ?= ?h) ?[.,]?[$\\\\]|= ?(?:sin|cos|tan|root|power) ?\\$|LBRACE|RBRACE|LHS[0-9]?|RHS[0-9]?|[$`=] ?(?:(?:cy|pt|th|tx|cs|hr)[0-9]|c[abty]) ?[$`]|[$`] ?[a-z][0-9]?[CU] ?[$`]',)),
)


def matches(wording, *patterns):
    return Q(Regex(wording, "|".join(patterns)))


def has_picture(condition):
    path = Value(f"$.pictures[*] ? ({condition})")
    template = "jsonb_path_exists(%(expressions)s::jsonpath)"
    return Q(Func(F("content"), path, template=template, output_field=BooleanField()))


def placeholders(wording):
    for hint, replacements, patterns in PLACEHOLDERS:
        part = wording
        for pattern, new in replacements:
            values = (Value(pattern), Value(new), Value("g"))
            part = Func(part, *values, function="REGEXP_REPLACE", output_field=TextField())
        found = matches(part, *patterns)
        yield matches(wording, hint) & found if hint else found


SAYS_SO = matches(TEXT, HINT) & (
    (matches(TEXT, *FIGURES) & ~matches(TEXT, *LAYOUTS)) | (matches(TEXT, *TABLES) & ~matches(TEXT, *DATA))
)
NEEDS_FIGURE = (
    matches(TEXT, *MARKS)
    | matches(OPTIONS, *MARKS)
    | has_picture("!exists(@.sha256)")
    | matches(TEXT, UNNAMED)
    | matches(OPTIONS, UNNAMED)
    | (
        ~has_picture("exists(@.sha256)")
        & (matches(TEXT, PICTURE) | matches(OPTIONS, PICTURE) | SAYS_SO)
    )
)
DRAWS_NUMBERS = reduce(or_, (rule for wording in (TEXT, OPTIONS) for rule in placeholders(wording)))
