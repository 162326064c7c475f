// What people type and Temml does not know, as Temml macros; and `draw`, which Python calls.

const DOUBLE_STRUCK = "N Z Q R C".split(" ");
const OPERATOR_NAMES =
  "lcm card sgn Arg rank rg tr Tr diag adj Var Cov cis sign grad curl erf arcsec arccsc arccot arsinh arcosh artanh " +
  "arcsinh arccosh arctanh sech csch cosec ggT kgV pgcd ppcm mcd mcm ord Hom End Aut Ker";
const MACROS = {
  "\\mbox": "\\text{#1}",
  "\\fbox": "\\boxed{\\text{#1}}",
  "\\framebox": "\\boxed{\\text{#1}}",
  "\\textsuperscript": "{}^{\\text{#1}}",
  "\\textsubscript": "{}_{\\text{#1}}",
  "\\uline": "\\underline{#1}",
  "\\overset": "\\stackrel{#1}{#2}", // which Temml sets as a superscript
  "\\cancelto": "\\cancel{#2}^{#1}",
  "\\overarc": "\\overparen{#1}",
  "\\overgroup": "\\overparen{#1}", // fonts stretch the arc, not the bracket with round corners
  "\\undergroup": "\\underparen{#1}",
  "\\xlongequal": "\\stackrel{#1}{=\\!\\!=\\!\\!=}",
  "\\pmb": "\\boldsymbol{#1}", // which Temml draws by a shadow
  "\\varnothing": "\\emptyset", // not the sign of a diameter
  "\\vv": "\\overrightarrow{#1}",
  "\\nicefrac": "{\\sfrac{#1}{#2}}",
  "\\longdivision": "#2\\longdiv{#1}",
  "\\intlongdivision": "#2\\longdiv{#1}",
  "\\abs": "\\left|#1\\right|",
  "\\norm": "\\left\\|#1\\right\\|",
  "\\floor": "\\left\\lfloor#1\\right\\rfloor",
  "\\ceil": "\\left\\lceil#1\\right\\rceil",
  "\\mathds": "\\mathbb{#1}",
  "\\mathbbm": "\\mathbb{#1}",
  "\\ensuremath": "#1",
  "\\ds": "\\displaystyle",
  "\\equal": "=",
  "\\plus": "+",
  "\\minus": "-",
  "\\hdots": "\\ldots",
  "\\adots": "\\iddots",
  "\\indent": "\\quad",
  "\\hfill": "\\quad",
  "\\hfil": "\\quad",
  "\\noindent": "",
  "\\centering": "",
  "\\/": "",
  "\\strut": "\\mathstrut",
  "\\nobreak": "",
  "\\allowbreak": "",
  "\\toprule": "\\hline",
  "\\midrule": "\\hline",
  "\\bottomrule": "\\hline",
  "\\celsius": "{}^{\\circ}\\mathrm{C}",
  "\\degreeCelsius": "{}^{\\circ}\\mathrm{C}",
  "\\degree": "{}^{\\circ}",
  "\\ohm": "\\Omega",
  "\\micro": "\\text{\u00b5}",
  "\\euro": "\\text{\u20ac}",
  "\\permil": "\\text{\u2030}",
  "\\dd": "\\mathop{}\\!\\mathrm{d}",
};

function define(name, expansion) {
  temml.__defineMacro(name, expansion);
}

for (const name of DOUBLE_STRUCK) define("\\" + name, "\\mathbb{" + name + "}");
for (const name of OPERATOR_NAMES.split(" ")) define("\\" + name, "\\operatorname{" + name + "}");
for (const [name, expansion] of Object.entries(MACROS)) define(name, expansion);
define("\\operatorname", "\\@ifstar\\operator@with@limits\\operatorname@");
define("\\operator@with@limits", "\\operatornamewithlimits{#1}\\limits");
for (const name of ["\\mathllap", "\\llap"]) define(name, () => { throw new temml.ParseError(name + " is not drawn alike everywhere"); });
define("\\require", (context) => (context.consumeArgs(1), ""));

// -- characters of text mode, which Python lists -----------------------------------------------------------------

const IN_MATHS = {
  "<": "\\lt ", ">": "\\gt ", "|": "|", "\\": "\\backslash ", "{": "\\{", "}": "\\}", "~": "\\sim ", "_": "\\_",
  "%": "\\%", "$": "\\$", "\u00b7": "\\cdot ", "\u2217": "*", "'": "'", "\u00b0": "{}^{\\circ}", "\u00b1": "\\pm ",
  "\u00d7": "\\times ", "\u00f7": "\\div ",
};

function defineCharacters(characters) {
  for (const [name, character] of Object.entries(characters)) {
    const code = '{\\char"' + character.codePointAt(0).toString(16).toUpperCase() + "}";
    const maths = IN_MATHS[character] || "\\text{" + code + "}";
    define("\\" + name, (context) => (context.mode === "text" ? code : maths));
  }
}

// -- \enclose ----------------------------------------------------------------------------------------------------

const ENCLOSURES = {
  longdiv: "longdiv", box: "boxed", roundedbox: "boxed", circle: "textcircled", top: "overline", bottom: "underline",
  updiagonalstrike: "cancel", downdiagonalstrike: "bcancel", horizontalstrike: "sout", actuarial: "angl",
  phasorangle: "phase", radical: "sqrt",
};

// Return an argument, whose tokens stand in reverse order, as it was typed but for blanks.
function source(tokens) {
  return tokens.slice().reverse().map((token) => (/^\\[a-zA-Z@]+$/.test(token.text) ? token.text + " " : token.text)).join("");
}

function skipOptions(context) {
  context.consumeSpaces();
  if (context.future().text !== "[") return;
  while (!["]", "EOF"].includes(context.popToken().text));
}

define("\\enclose", (context) => {
  skipOptions(context);
  const names = source(context.consumeArgs(1)[0]).split(/[\s,]+/).filter(Boolean);
  skipOptions(context);
  const body = source(context.consumeArgs(1)[0]);
  return names.reduce((inner, name) => {
    if (!(name in ENCLOSURES)) throw new temml.ParseError("\\enclose does not know " + name);
    return "\\" + ENCLOSURES[name] + "{" + inner + "}";
  }, body);
});

// -- quantities: siunitx -----------------------------------------------------------------------------------------

const PREFIXES = {
  pico: "p", nano: "n", micro: "\u00b5", milli: "m", centi: "c", deci: "d", deca: "da", deka: "da", hecto: "h",
  kilo: "k", mega: "M", giga: "G", tera: "T",
};
const UNITS = {
  metre: "m", meter: "m", gram: "g", kilogram: "kg", second: "s", minute: "min", hour: "h", day: "d", litre: "L",
  liter: "L", ampere: "A", kelvin: "K", mole: "mol", candela: "cd", newton: "N", joule: "J", watt: "W", volt: "V",
  ohm: "\u03a9", coulomb: "C", farad: "F", henry: "H", hertz: "Hz", pascal: "Pa", bar: "bar", tesla: "T", weber: "Wb",
  lumen: "lm", lux: "lx", becquerel: "Bq", gray: "Gy", sievert: "Sv", radian: "rad", steradian: "sr", degree: "\u00b0",
  arcminute: "\u2032", arcsecond: "\u2033", celsius: "\u00b0C", degreeCelsius: "\u00b0C", percent: "%", tonne: "t",
  hectare: "ha", electronvolt: "eV", decibel: "dB", byte: "B", bit: "bit", year: "a",
  km: "km", m: "m", cm: "cm", mm: "mm", dm: "dm", um: "\u00b5m", nm: "nm", g: "g", kg: "kg", mg: "mg", s: "s", ms: "ms",
  L: "L", l: "l", ml: "ml", mL: "mL", N: "N", kN: "kN", J: "J", kJ: "kJ", W: "W", kW: "kW", kWh: "kWh", V: "V", A: "A", mA: "mA",
  Hz: "Hz", kHz: "kHz", MHz: "MHz", Pa: "Pa", kPa: "kPa", K: "K", mol: "mol",
};
const AFTER = { squared: "2", cubed: "3" };
const BEFORE = { square: "2", cubic: "3" };

function unit(tokens) {
  const names = tokens.slice().reverse().map((token) => token.text);
  if (!names.some((name) => name[0] === "\\" && /[a-zA-Z]/.test(name[1]))) {
    return "\\mathrm{" + names.join("").replace(/[.~]/g, "\\,") + "}";
  }
  const upper = [], lower = [];
  let prefix = "", power = "", below = false, last = null;
  for (let i = 0; i < names.length; i++) {
    const name = names[i].replace(/^\\/, "");
    if (names[i] === " " || names[i] === "." || names[i] === "~") continue;
    if (name === "per" || name === "/") below = true;
    else if (name in PREFIXES && name !== "percent") prefix = PREFIXES[name];
    else if (name in BEFORE) power = BEFORE[name];
    else if (name in AFTER && last) last.power = AFTER[name];
    else if ((name === "tothe" || name === "raiseto") && names[i + 1] === "{") {
      const end = names.indexOf("}", i);
      const exponent = names.slice(i + 2, end).join("");
      if (name === "tothe" && last) last.power = exponent; else power = exponent;
      i = end;
    } else if (name in UNITS || names[i][0] !== "\\") {
      last = { symbol: prefix + (UNITS[name] || name), power };
      (below ? lower : upper).push(last);
      prefix = power = "";
      below = false;
    } else throw new temml.ParseError("an unknown unit: " + names[i]);
  }
  const write = (units) => units.map((each) =>
    "\\text{" + each.symbol.replace("%", "\\%") + "}" + (each.power ? "^{" + each.power + "}" : "")).join("\\,");
  const denominator = lower.length > 1 ? "(" + write(lower) + ")" : write(lower);
  return lower.length ? (upper.length ? write(upper) : "1") + "/" + denominator : write(upper);
}

function number(tokens) {
  const text = source(tokens).replace(/\s+/g, "");
  const parts = /^([-+]?)(\d*)([.,]?)(\d*)(?:[eE]([-+]?\d+))?$/.exec(text);
  if (!parts) return text.replace(/\+-/g, "\\pm ").replace(/x/g, "\\times ");
  const [, sign, whole, mark, decimals, exponent] = parts;
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\\,") : whole;
  const mantissa = (grouped || (decimals ? "0" : "")) + (mark === "," ? "{,}" : mark) + decimals;
  const power = exponent === undefined ? "" : "10^{" + exponent.replace("+", "") + "}";
  return sign + mantissa + (power && mantissa ? "\\times " : "") + power;
}

const QUANTITIES = {
  num: [1, ([a]) => number(a)],
  unit: [1, ([a]) => unit(a)],
  si: [1, ([a]) => unit(a)],
  SI: [2, ([a, b]) => number(a) + "\\," + unit(b)],
  qty: [2, ([a, b]) => number(a) + "\\," + unit(b)],
  numrange: [2, ([a, b]) => number(a) + "\\text{\u2013}" + number(b)],
  SIrange: [3, ([a, b, c]) => number(a) + "\\text{\u2013}" + number(b) + "\\," + unit(c)],
  qtyrange: [3, ([a, b, c]) => number(a) + "\\text{\u2013}" + number(b) + "\\," + unit(c)],
  ang: [1, ([a]) => source(a).replace(/\s+/g, "").split(";").map((part, place) =>
    part && part + ["{}^{\\circ}", "\\text{\u2032}", "\\text{\u2033}"][Math.min(place, 2)]).join("")],
};
for (const [name, [count, write]] of Object.entries(QUANTITIES)) {
  define("\\" + name, (context) => {
    skipOptions(context);
    return "{" + write(context.consumeArgs(count)) + "}";
  });
}

// ----------------------------------------------------------------------------------------------------------------

// Return the MathML of a formula, or "!" and why it is refused. What the formula defines ends with it.
function draw(latex, display) {
  try {
    return temml.renderToString(latex, {
      displayMode: display, throwOnError: true, trust: false, maxExpand: 2000, maxSize: [40, 40],
    });
  } catch (error) {
    return "!" + String(error.message).trim().split("\n")[0];
  }
}
