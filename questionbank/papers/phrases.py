"""Patterns for the lines of a paper, in English, German, French, Spanish and Chinese."""

from __future__ import annotations

import re

from questionbank.papers.points import BARE_POINTS, POINTS, POINTS_EACH

_RIGHT = (
    r"correct|right|model|final|expected|suggested|richtige?|juste|bonne|correct[ae]|esatt[ao]|giust[ao]"
    r"|cert[ao]"
    r"|prawidłowa|poprawna|rätt|doğru"
)
_ANSWER_NOUNS = (
    r"answers?|ans|antwort(?:en)?|antw|lösung(?:en)?|erg(?:ebnis)?|réponses?|respuestas?|rta|r[eé]p|resp"
    r"|ris|risultat[oi]|rispost[ae]|respostas?"
    r"|gabarito|odpowied(?:ź|zi)|odp|antwoord(?:en)?|svar|facit|vastaus|cevap|ответ|đáp án|정답"
)
_ANSWER_WORDS = (
    rf"(?:the )?(?:(?:{_RIGHT}) )?(?:{_ANSWER_NOUNS})(?: (?:{_RIGHT}|attendue|choice|option|key|letter))?"
    r"|correct(?: (?:option|choice|response|letter))?|richtig|expected|key|(?:正确|参考|标准)?答案"
)
_OPTION_ALONE = r"(?=(?-i:[(（\[]?[A-H][)）\]]?|[(]?[a-h][)])[\s.]*$)"
ANSWER = re.compile(
    rf"(?:[【\[](?:{_ANSWER_WORDS})[】\]]\s*[:：]?|(?:{_ANSWER_WORDS})\.?\s*(?:is\b|ist\b|est\b|es\b|为"
    rf"|是)?\s*[:：=]|(?:(?:{_RIGHT}) )?(?:{_ANSWER_NOUNS})\.?\s*[-–—]\s|(?:ans|odp|antw|erg|resp)[.)]\s?"
    rf"|ans\s+(?=(?:[a-z]\s?=\s?)?[−–-]?[\d$])"
    rf"|(?:the )?(?:(?:{_RIGHT}) )?answer is\s(?=[^.?]{{1,30}}\.?$)|(?:{_ANSWER_WORDS})\s+(?:(?:is"
    rf"|option)\s+)?{_OPTION_ALONE}"
    r"|(?:the )?(?:right |correct )?(?:option|choice)\s+" + _OPTION_ALONE + r"|(?-i:R)\s?[:/.]\s"
    rf"|(?:[→⇒➔]|[-=]{{1,2}}>)(?=\s)"
    rf"|[(（\[]\s*(?:(?:{_ANSWER_WORDS})\.?\s*[:：=]|(?:ans|ris|r)\.(?=\s))\s*)\s*",
    re.IGNORECASE,
)
"""Start of an answer line."""
ANSWER_WITHIN = re.compile(
    rf"(?:^|(?<=[\s\u2003)）。.]))(?:(?![a-z])(?i:(?:(?:{_RIGHT}) )?(?:{_ANSWER_NOUNS}))\.?|ans(?:wer)?"
    rf"|答案)\s?[:：](?=[\s\u2003]*\S)"
    r"|[【\[](?:答案|解析|分析|详解|点评|解答)[】\]]"
    rf"|(?<=[\s\u2003。.?？=:_])(?:[(（\[]\s?(?:(?i:{_ANSWER_NOUNS})|R|答案?)\s?[:：.]{{1,2}}"
    rf"|Ans\.)(?=[\s\u2003]*[^\s_.])"
    r"|(?:(?<=[.?!。？][ \u2003])|(?<=[(\[]\d[)\]][ \u2003]))[→⇒➔](?=[\s\u2003]*\S)"
)
"""Start of an answer or a solution within a paragraph."""
_SOLUTION_WORDS = (
    r"scoring(?: – .{1,20})?|(?:worked |model |full |detailed )?sol(?:utions?|n)|explanation|rationale"
    r"|reason(?:ing)?"
    r"|workings?|feedback|general feedback"
    r"|lösungsweg|musterlösung|rechenweg|erklärung|begründung|corrigé|corrige|correction|explication"
    r"|justification|solución|explicación|desarrollo"
    r"|soluzione|svolgimento|risoluzione|resolução|resolución|solução|rozwiązanie|uitwerking"
    r"|lösningsförslag|lösning"
    r"|решение|çözüm|lời giải|풀이|解析|解答|解答过程|分析|详解|点评|思路|证明过程"
)
SOLUTION = re.compile(
    rf"(?:[【\[](?:{_SOLUTION_WORDS})[】\]]\s*[:：]?|(?:{_SOLUTION_WORDS}|proof|beweis|preuve"
    rf"|démonstration)\s*(?:[:：]|\.(?=\s|$)|$|(?=\n))"
    rf"|sol(?:n|ution)?\s?(?:\.:?|[:)])(?=\s)|[~@]\s|解\s?[:：]|证明?\s?[:：](?!.*[?？]))\s*",
    re.IGNORECASE,
)
"""Start of a worked solution."""
KEY_TITLE = re.compile(
    r"(?!.{0,30}\b(?:short|written|long|open|extended)[- ](?:answers?|response)\b)"
    r"\W*(?:(?:the )?(?:answers?|answer ?keys?|keys?|answers? (?:section|sheet|list|page)s?|solutions?"
    r"|answers? (?:and|&|with"
    r"|to) .{0,40}|solutions? (?:and|&|to) .{0,40}|mark(?:ing)? ?(?:schemes?|guides?|guidelines"
    r"|instructions)|scoring guid\w+|memo(?:randum)?"
    r"|(?:worked |model |full |suggested |outline |sketch(?:ed)? |brief |sample |selected |final |quick "
    r"|teacher[’']?s?[’']? )(?:solutions|answers)|correct answers|key to .{0,40}|lösungen"
    r"|lösungsschlüssel|lösungsblatt|musterlösungen?|erwartungshorizont"
    r"|corrigés?|corrections?|réponses|grille de (?:réponses|correction)|respuestas|soluciones|solucionario"
    r"|hoja de respuestas|clave(?: de respuestas)?|soluzioni|risposte"
    r"|gabarito|antwoorden|uitwerkingen(?: .{0,40})?|odpowiedzi"
    r"|(?:参考|标准|试题|测试)*答案(?:(?:与|和|及).{0,8})?|答案(?:部分|页"
    r"|卷)|参考解答)"
    r"(?:\s*[-–(（].{0,60}|\s*[:：])?|.{0,60}(?:answer (?:key|sheet)|mark(?:ing)? (?:scheme|guide)|answers"
    r"|参考答案|答案与解析|答案|lösungen"
    r"|corrigé))\W*",
    re.IGNORECASE,
)
"""Title of the list of answers; matches the whole line."""
TYPED_ANSWER = re.compile(r"type\s*[:：]\s*(?:F|E|FB|ES|SA)\W*", re.IGNORECASE)
"""Respondus' line above a question with lettered lines that are answers rather than options."""
SECTION = re.compile(
    r"(?:(?:topic|unit|chapter|strand|skill|theme|thema|kapitel|thème|chapitre|tema)\s*:\s*.{1,60}"
    r"|(?:section|part|booklet|paper|quiz|test|set|worksheet|week|day|unit|chapter|module|topic|teil"
    r"|abschnitt|kapitel|partie|section|chapitre|sección"
    r"|parte|capítulo|sezione)"
    r"\s*[-–—:]?\s*(?:[A-Z]|\d{1,2}|[IVX]{1,4}|one|two|three)\b(?:\s*[-–—:.(（].*|\s*$|\s+.{0,80}$)"
    r"|(?:[一二三四五六七八九十]{1,2}|[（(][一二三四五六七八九十]{1,2}[)）])\s*[、．.]?\s*(?:[单單]?[项項]?[选選][择擇][题題]"
    r"|多选题|填空题|判断题|解答题|计算题|应用题|证明题|作图题"
    r"|简答题|综合题|.{0,12}[题題]).*"
    r"|第\s?[一二三四五六七八九十ⅠⅡI1-9]+\s?(?:卷|部分|章|节|節|单元|單元|大题|大題).*"
    r"|[甲乙丙丁戊]\s?[部組组卷](?:分)?[\s:：、]*[^\d(（]{0,12}(?:[(（].{0,60})?"
    r"|(?:multiple[- ]choice(?: questions?)?|true[ /-]*(?:or[ -])?false|short[- ]answers?(?: questions?)?"
    r"|free[- ]response(?: questions?)?|problems?|problem[- ]solving|essay|matching"
    r"|numeric(?:al)?(?: response)?|fill[- ]in[- ](?:the[- ])?blanks?|completion"
    r"|(?:non[- ])?calculator(?: (?:allowed|section|paper))?|no calculator)\s*(?:[:(（.].*)?)",
    re.IGNORECASE,
)
"""Heading of a section; matches the whole line."""
STIMULUS = re.compile(
    r"(?:(?:questions?(?: numbers?| nos?\.?)?|items?|problems?|nos?\.?|exercises?|aufgaben|fragen|questions"
    r"|ejercicios"
    r"|preguntas)\s*\(?(?P<first>\d{1,3})(?:,\s*\d{1,3})*,?\s*(?:-|–|—|to|through|and|&|bis|und|à|et|a|y|至"
    r"|到)\s*(?P<last>\d{1,3})\)?"
    r"|(?P<zh_first>\d{1,3})\s*(?:-|–|—|~|～|至|到|、)\s*(?P<zh_last>\d{1,3})\s*小?[题題])",
    re.IGNORECASE,
)
_SCORES = re.compile(
    r"\b(?:carr(?:y|ies)|(?:is|are) worth|score|count|zählen|geben|valent|comptent|valen)\b|\d\s*分", re.IGNORECASE
)
_MATERIAL = re.compile(
    r"\b(?:below|above|diagram|figure|graph|chart|plot|table|passage|folgende\w*|suivant\w*|siguiente\w*)\b"
    r"|根据|阅读|材料|如下|下[图表]",
    re.IGNORECASE,
)
_DIRECTIONS = re.compile(
    r"\W*(?:directions|instructions)\s*:|\b(?:calculators?|taschenrechner|calculatrice|calculadora)\b"
    r"|\b(?:circle|choose|select|tick|shade|write)\b[^.]{0,30}\b(?:letter|(?:best|correct|one) answer"
    r"|option)\b",
    re.IGNORECASE,
)
STATEMENTS = re.compile(r"\b(?:assertion|reason|statements?)\b", re.IGNORECASE)  # questions with shared options
_REFERS = re.compile(
    r"\b(?:refer|use|using|based|relate|concern|following|below|above|answer|data|information|passage"
    r"|diagram|figure"
    r"|graph|chart|plot|table|about|folgende\w*|beziehen|basieren|suivant\w*|concernent|portent"
    r"|siguiente\w*|refieren)\b"
    r"|回答|完成|根据|阅读|材料|下列|如下",
    re.IGNORECASE,
)
NOISE = re.compile(
    r"(?:page|seite|p\.|página|pagina)\s*\d+(?:\s*(?:of|/|von|de|sur|di)\s*\d+)?|\d+\s*/\s*\d+"
    r"|[-–—]\s*\d{1,3}\s*[-–—]|第\s?\d+\s?页.*|共\s?\d+\s?页.*"
    r"|[-=*~·•\s]{3,}"
    r"|(?:please )?(?:turn over|p\.?t\.?o\.?|go on(?: to the next page)?|bitte wenden|tournez la page"
    r"|continued? (?:on|over).{0,30})\W*|[*~–—\s\[(-]*(?:end of (?:the )?(?:test|questions|exam|paper|section"
    r"|examination|quiz"
    r"|document).{0,40}|ende|fin|stop)\W*|\W*(?:this is )?the last printed page\W*"
    r"|\W*(?:全|試|试)?卷完\W*|[-–—=✂\s]{3,}.{0,20}\b(?:fold|cut|tear|snip)\b.{0,20}[-–—=✂\s]{3,}"
    r"|diagrams? (?:are |is )?not (?:accurately )?drawn.{0,40}|not (?:drawn )?to scale\W*"
    r"|(?:[a-z]\s*=|[£$€])?\s*[.…]{6,}\s*\S{0,8}"
    r"|(?:total|gesamt|insgesamt|summe)\s*(?:marks?|points?|score|:|=)?.{0,12}(?:(?:marks?|points?|punkte"
    r"|/\s*\d+)[^?=\d$]{0,20})?"
    r"|total (?:for|marks|points).{0,60}"
    r"|(?:copyright|©).*|blank page|this page (?:is )?intentionally.*"
    r"|(?:name|class|date|teacher|student|score|grade|period|klasse|datum|nom|prénom|classe|nombre|fecha"
    r"|curso"
    r"|prepared by|checked by|noted by|姓名|班级|学号|得分|学校|座号|考号)\s*[:：_.…].*"
    r"|show (?:all )?(?:of )?your work(?:ing)? (?:here|below)\W*"
    r"|\W*(?:good luck|all the best|viel erfolg|bonne chance|bon courage|suerte)\W*"
    r"|(?:[^?=\d$_]{0,40}[^\W\d]{3}!(?=\W|$)[^?=\d$_]{0,40})"
    r"|\W*(?:punkte|note|score|marks|points)\s*:\s*_+\s*/.*",
    re.IGNORECASE,
)
"""Line that does not belong to a question; matches the whole line."""
GRADES = re.compile(
    r"\|\s*(?:points?|marks?|score|punti|punkte|puntos|barème|note|voto)\s*\|(?:\s*/?\s*[\d.,]*\s*\|)+"
    r"|\|\s*[^\W\d]+\.?\s*\|(?:\s*\d{1,2}\s*\|){2,}\s*(?:total\w*|gesamt|summe|somme?|suma|σ|∑)\s*\|.*",
    re.IGNORECASE,
)
"""Row of the grid that sums up a paper's marks; matches the whole line."""
FORMULAS = re.compile(
    r"\W*(?:(?:\w+ ){0,2}(?:information|formulae?|data|reference) (?:sheet|page|booklet|list)"
    r"|(?:list of |useful )?formula[es]?(?: you (?:may|might) (?:need|use))?"
    r"|formelsammlung|formulaire|formulario|公式表?)(?:\s*[:：]\s*\$.*|\W*)",
    re.IGNORECASE,
)
"""Title of a paper's formula list; matches the whole line."""
ANSWER_SPACE = re.compile(
    r"[\s_.…\u2003‥·]*(?:[a-zA-Z]\s*=(?=\s*[_.…]))?(?:(?:answer|ans|work(?:ing)?|antwort|rechnung|réponse|respuesta|答"
    r"|解)\s*[:：=]?)?[\s_.…\u2003‥·]*(?:[(（][\s_.…]*[)）])?(?:(?:cm|mm|m|km|kg|g|ml|l|%|°|£|\$"
    r"|€)[²³]?)?\s*[\s_.…]*",
    re.IGNORECASE,
)
"""Answer space: "Answer: ______ cm"; matches the whole line."""
_LONG_SPACE = re.compile(r"([_.…‥·])\1{5,}")
_LONGEST_SPACE = 120
_LONGEST_UNIT = 8
_DRAWN_SPACE = re.compile(r"_{3,}|\.{5,}|…{2,}")
NUMERIC = re.compile(
    r"=\s*(?P<value>[-−+]?\d[\d.,]*(?:e[-+]?\d+)?)\s*(?:(?:\+-|\+/-|±"
    r"|\\pm)\s*(?P<tolerance>\d[\d.]*)\s*(?P<percent>%)?)?",
    re.IGNORECASE,
)
"""A numeric answer in text2qti's notation: ``= 3.14 +- 0.01``; matches the whole line."""
INTERVAL = re.compile(r"=\s*\[\s*(?P<low>[-−]?\d[\d.]*)\s*,\s*(?P<high>[-−]?\d[\d.]*)\s*\]")
RIGHT_BEHIND = re.compile(
    r"[\s\u2003]*(?:\*{1,3}|[✓✔☑√✅]|←.*|<[-=].*"
    rf"|(?:[(\[（]|//|[–—-](?=\s))\s?(?:(?:{_RIGHT}|vrai|vero|正确)(?: answer)?|key|{_ANSWER_NOUNS}|[√✓✔*]"
    rf"|(?<=[(\[（])x)[)\]）]?)\s*$",
    re.IGNORECASE,
)
"""Follows the right option."""
GIVEN_ANSWER = re.compile(
    r"(?<![A-Za-z])[(（][\s\u2003]*(?P<answer>[A-H]{1,5}"
    r"|[√×✓✗对错TF])[\s\u2003]*[)）]\s*[.。]?(?=(?:\s*!\[[^\]]*\]\([^)\s]*\))*\s*$)"
)
"""The answer in the brackets that Chinese papers leave after a question."""
BLANK = re.compile(r"_{2,}|(?<!\.)\.{5,}|…{2,}|[(（\[]\s*_+\s*[)）\]]")
"""A gap to fill in."""
BLANK_BEHIND = re.compile(r"[.?!。？](?:\s*(?:_{2,}|\.{5,}|…{2,}))+\s*$")
"""Answer space after the end of a sentence."""
BONUS = re.compile(
    r"\W*(?:bonus(?:[- ](?:question|problem|exercise|task|aufgabe))?|extra credit|challenge(?: question"
    r"| problem)?|zusatzaufgabe|zusatz"
    r"|附加题)[\s.]*(?:[(（\[].{0,30}[)）\]])?\s*[:：.]?\s*",
    re.IGNORECASE,
)
"""Start of a question that has a name instead of a number."""
TASK = re.compile(
    r"\W*(?:find|calculate|work out|compute|determine|show|prove|solve|write|explain|draw|how|what|which|why"
    r"|when|where|who|state|express|hence|simplify|expand"
    r"|factori[sz]e|sketch|estimate|give|complete|evaluate|describe|is|are|does|do|can|plot|use|verify|deduce"
    r"|differentiate|integrate|convert|copy|label|name|list|justify"
    r"|round|measure|construct|identify|rearrange|rewrite|make|by|let|suppose|using|on|in|if|for"
    r"|berechne\w*|bestimm\w*|zeige?\w*|wie|was|welche\w*|gib|gebe\w*|löse\w*|zeichne\w*|begründe\w*"
    r"|erkläre\w*"
    r"|stelle\w*|ermittle\w*|untersuche\w*|vereinfache\w*|nenne\w*|prüfe\w*"
    r"|calcul\w+|détermin\w+|montr\w+|trouv\w+|résou\w+|quel\w*|combien|justifi\w+|donner|en déduire"
    r"|démontr\w+"
    r"|développ\w+|factoris\w+|tracer|compléter|exprimer|étudier"
    r"|halla|determin\w+|cuánt\w+|resuelv\w+|求|计算|证明|写出|画|判断|解|若|试|用|在|请|说明|直接)(?![a-z])",
    re.IGNORECASE,
)
"""Start of a task: typical of a part rather than an option."""
PROOF = re.compile(
    r"\b(?:prove|proof|show(?! (?:all )?(?:of )?your)|explain|justify|verify|describe|sketch|draw|plot"
    r"|construct|compare|beweis\w*"
    r"|zeige?\w*|erklär\w*|begründ\w*"
    r"|zeichne\w*|skizzier\w*|montr\w+|démontr\w+|justifi\w+|expliqu\w+|trac\w+|demuestr\w+|explic\w+"
    r"|dibuj\w+|dimostr\w+|spieg\w+|demonstr\w+|mostre|udowodni\w*|wykaż|uzasadni\w*)\b|证明|求证|试证|说明|画",
    re.IGNORECASE,
)
"""Asks for something that no short answer can give."""
INSTRUCTIONS = re.compile(
    r"\W*(?:(?:general |important )?(?:instructions?|directions?|notes?|rules)(?: (?:to|for) \w+)?"
    r"|read (?:these|this|the).{0,60}"
    r"|(?:allgemeine )?hinweise|anweisungen|consignes?|instrucciones|istruzioni|(?:注意事项|考生须知"
    r"|答题须知|说明))\s*[:：.]?\W*",
    re.IGNORECASE,
)
"""Title of the rules at the beginning of a paper, which may be numbered; matches the whole line."""
NUMBER_COLUMN = re.compile(
    r"(?:qu?(?:es)?\.?|qn\.?|questions?|items?|no\.?|nr\.?|number|num|n°|#|aufgabe|frage|exercice|题号|题目"
    r"|序号)\s*(?:no\.?|number|#)?",
    re.IGNORECASE,
)
ANSWER_COLUMN = re.compile(
    r"(?:(?:correct |right |expected |model |working (?:and|&) )?(?:answers?|ans\.?|key)|solutions?"
    r"|antwort(?:en)?"
    r"|lösung(?:en)?|réponses?"
    r"|respuestas?|solución|risposta|答案)(?:\s*[/(].{0,30})?",
    re.IGNORECASE,
)
CHOICE_SECTION = re.compile(r"choice|correct answer|QCM|ankreuz|opción múltiple|选择题|单选|多选", re.IGNORECASE)
"""Heading of questions with options."""
GAP_SECTION = re.compile(r"fill[- ]in|lückentext|texte à trous|填空", re.IGNORECASE)
TRUTH_SECTION = re.compile(
    r"true.{1,12}false|判断|richtig.{1,8}falsch|wahr.{1,8}falsch|vrai.{1,6}faux|verda\w+.{1,6}fals[oa]s?"
    r"|prawda.{1,8}fałsz"
    r"|ver[oae].{1,10}fals[oae]|\b(?-i:[TVRWP]) ?(?:or|/|o|ou|oder|lub) ?(?-i:F)\b",
    re.IGNORECASE,
)
OFFERS_CHOICE = re.compile(
    r"\b(?:which|choose|select|circle|tick|correct|true|welche\w*|wähle\w*|kreuze\w*|lequel|laquelle"
    r"|lesquel\w*"
    r"|choisi\w*|coche\w*|cuál\w*|elige|quale)\b|选|下列|以下|[(（][\s\u2003]*[)）]",
    re.IGNORECASE,
)
CIRCLES_ONE = re.compile(
    r"\b(?:circle|tick|underline|ring|which (?:one )?of|kreise|entour\w+|rodea|fill in)\b|圈", re.IGNORECASE
)
"""Asks to choose from the items in a row below."""
SEVERAL_RIGHT = re.compile(
    r"\b(?:all that apply|(?:select|choose|tick|circle|check|mark|find) all|all (?:the )?correct|which two"
    r"|choose two|select two|two (?:of|answers|options)"
    r"|three (?:of|answers)|one or more|mehrere|zwei|plusieurs|deux|todas|dos)\b|多选|哪些|多项",
    re.IGNORECASE,
)
ORDER_TO_EACH = re.compile(
    r"\W*(?:simplify|expand|factori[sz]e|work out|calculate|evaluate|solve|compute|differentiate|integrate"
    r"|find"
    r"|write|round|convert|complete|multiply|divide|add|subtract|berechne\w*|löse\w*|vereinfache\w*|calcul\w+"
    r"|résou\w+|développ\w+|simplifi\w+|resuelv\w+|计算|化简|解|求|因式分解|口算)",
    re.IGNORECASE,
)
"""Instruction for each of the following parts."""
MATCHING = re.compile(
    r"(?:^|[.?!:]\s)\W*match\b|\b(?:match (?:each|every|the|these|them|up)"
    r"|matching|pair (?:each|the)|ordne\w* .{0,60}zu|zuordn\w*|associ(?:e[rz]?|a|are|ate)\b|reli\w+ chaque|relaciona\w*"
    r"|empareja\w*"
    r"|column (?:a|i|1)\b.{1,80}\bcolumn (?:b|ii|2)|column (?:b|ii|2)\b.{1,80}\bcolumn (?:a|i|1))\b|连线|配对|匹配",
    re.IGNORECASE,
)
RIGHT_BEFORE = re.compile(r"(?:[✓✔☑☒✅]|\*{1,2}(?=[^*]*$))\s*(?=\S)")
"""Precedes the text of the right option."""
IMAGE_LOST = re.compile(r"(?<!!)\[image\]")
FORMULA_LOST = re.compile(r"\[formula\]")


def is_stimulus(text: str) -> bool:
    """Return whether a line introduces a text shared by several questions.

    >>> is_stimulus("Questions 3-5 refer to the graph below."), is_stimulus("See questions 3 to 5.")
    (True, False)
    """
    return STIMULUS.search(text) is not None and _REFERS.search(text) is not None and not tells_points(text)


_OF_SEVERAL = re.compile(
    r"\b(?P<noun>question|item|problem|exercise)s(?P<number> (?:numbers? |nos?\.? )?\(?\d+\)?)"
    r"(?: (?P<verb>refer|relate|concern|use|are)\b)?",
    re.IGNORECASE,
)


def _of_one(match: re.Match[str]) -> str:
    verb = match["verb"] or ""
    return f"{match['noun']}{match['number']}" + (f" {'is' if verb == 'are' else f'{verb}s'}" if verb else "")


def with_range(text: str, first: int | str, last: int | str) -> str:
    """Renumber the questions named in a shared text's first line to `first` to `last`; unchanged if it names none.

    >>> with_range("Questions 7-8 refer to the graph below.", 1, 2), with_range("See the graph.", 1, 2)
    ('Questions 1-2 refer to the graph below.', 'See the graph.')
    >>> with_range("Questions 7 to 8 refer to the graph below.", 4, 4)
    'Question 4 refers to the graph below.'
    """
    match = STIMULUS.search(text.partition("\n")[0])
    if match is None:
        return text
    begin, end = match.span("first" if match["first"] else "zh_first")
    behind, stop = match.span("last" if match["last"] else "zh_last")
    if first == last != "":
        return _OF_SEVERAL.sub(_of_one, f"{text[:begin]}{first}{text[stop:]}", count=1)
    return f"{text[:begin]}{first}{text[end:behind]}{last}{text[stop:]}"


def counted_from_one(text: str) -> str:
    """Renumber the questions named in a shared text's first line from 1, as stored in the bank.

    >>> counted_from_one("Questions 7-8 refer to the graph below."), counted_from_one("See questions 3-5.")
    ('Questions 1-2 refer to the graph below.', 'See questions 3-5.')
    """
    match = STIMULUS.search(text.partition("\n")[0])
    if match is None or not is_stimulus(text):
        return text
    first, last = int(match["first"] or match["zh_first"]), int(match["last"] or match["zh_last"])
    return with_range(text, 1, last - first + 1) if last > first else text


def tells_points(text: str) -> bool:
    """Return whether a line gives the questions' points or how to mark answers, rather than their topic.

    >>> tells_points("Questions 1 to 5 carry 1 mark each."), tells_points("Questions 1-5 are about the graph below.")
    (True, False)
    >>> tells_points("Directions: Circle the letter of the best answer for questions 1-6.")
    True
    """
    scores = STIMULUS.match(text.lstrip("*")) is not None and _SCORES.search(text) is not None
    scores = scores or (STIMULUS.search(text) is not None and POINTS_EACH.search(text) is not None)
    directs = STIMULUS.search(text) is not None and _DIRECTIONS.search(text) is not None
    directs = directs and STATEMENTS.search(text) is None
    return (scores or directs) and _MATERIAL.search(text) is None


NO_ANSWER = re.compile(
    r"\W*(?:no answer is known|没有已知的答案|see |answers? (?:may |will )?var|various|your own|(?:any|own) "
    r"(?:sensible|valid|suitable|reasonable)|left |we leave"
    r"|(?:talk|speak) (?:to|with) |ask (?:me|your)\b|come (?:and )?see |(?:we(?:[’']ll| will)? )?(?:to be )?"
    r"(?:do|did|done|go|went|gone|check|discuss)(?:ed)? (?:(?:it|this|these|them|over|together) )*(?:on|in"
    r"|with|at) "
    r"(?:the |your |my )?(?:board|class|lesson|me|us|tutor\w*|notebook|them)\b"
    r"|siehe |individuelle?|voir |ver |略|n/?a\b).{0,60}",
    re.IGNORECASE,
)
"""Placeholder for an answer that the paper does not give; matches the whole text."""


def is_left_blank(text: str) -> bool:
    """Return whether "Answer:" is followed by answer space, with a unit or points at most.

    >>> is_left_blank("______ min [3]"), is_left_blank("(a) ______ [1]"), is_left_blank("5 cm")
    (True, True, False)
    """
    if not text.strip(" _.…"):
        return True
    said = [POINTS.sub("", BARE_POINTS.sub("", piece)).strip() for piece in _DRAWN_SPACE.split(text)]
    return len(said) > 1 and all(len(piece) <= _LONGEST_UNIT for piece in said)


def is_answer_space(text: str) -> bool:
    """Return whether a line consists only of answer space.

    >>> is_answer_space("Answer: ______ cm"), is_answer_space("Answer: 5 cm")
    (True, False)
    """
    text = _LONG_SPACE.sub(r"\1\1\1\1\1", text)  # keeps the pattern fast on long text
    bare = BARE_POINTS.sub("", text)
    text = bare if _DRAWN_SPACE.search(bare) else text
    if len(text) > _LONGEST_SPACE or not ANSWER_SPACE.fullmatch(text):
        return False
    return bool(
        _DRAWN_SPACE.search(text) or text.strip().endswith((":", "：", "=", ")", "）")) or not text.strip(" _.…")
    )
