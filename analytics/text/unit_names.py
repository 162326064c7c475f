"""The units that school questions use, and what they are called in English and in Chinese."""

from __future__ import annotations

_BASE: dict[str, dict[str, str]] = {
    "length": {
        "kilometer": "kilometre kilometres kilometer kilometers kms",
        "meter": "metre metres meter meters",
        "decimeter": "decimetre decimetres decimeter decimeters",
        "centimeter": "centimetre centimetres centimeter centimeters cms",
        "millimeter": "millimetre millimetres millimeter millimeters",
        "inch": "inch inches",
        "foot": "foot feet",
        "yard": "yard yards",
        "mile": "mile miles",
        "light_year": "light-year light-years",
    },
    "mass": {
        "kilogram": "kilogram kilograms kilogramme kilogrammes kilo kilos kgs",
        "gram": "gram grams gramme grammes",
        "milligram": "milligram milligrams",
        "metric_ton": "tonne tonnes",
        "ton": "ton tons",
        "pound": "pound pounds",
        "ounce": "ounce ounces",
        "jin": "",
    },
    "time": {
        "second": "second seconds",
        "minute": "minute minutes",
        "hour": "hour hours",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years",
        "decade_of_years": "decade decades",
        "century": "century centuries",
    },
    "volume": {
        "liter": "litre litres liter liters",
        "milliliter": "millilitre millilitres milliliter milliliters",
        "gallon": "gallon gallons",
        "quart": "quart quarts",
        "pint": "pint pints",
        "cup": "cup cups",
        "tablespoon": "tablespoon tablespoons",
        "teaspoon": "teaspoon teaspoons",
    },
    "area": {"hectare": "hectare hectares", "acre": "acre acres", "mu_area": ""},
    "money": {
        "dollar": "dollar dollars",
        "dollar_cent": "cent cents penny pennies",
        "dollar_nickel": "nickel nickels",
        "dollar_dime": "dime dimes",
        "pound_sterling": "",
        "penny_sterling": "pence",
        "euro": "euro euros",
        "rupee": "rupee rupees",
        "paisa": "paisa paise",
        "yuan": "yuan",
        "jiao": "jiao",
        "fen": "",
    },
    "temperature": {"degree_Celsius": "", "degree_Fahrenheit": "", "kelvin": "kelvin kelvins"},
    "angle": {"degree": "degree degrees", "radian": "radian radians"},
    "speed": {"mile / hour": "mph", "kilometer / hour": "kmph kph"},
}

DIMENSIONS: dict[str, str] = {unit: dimension for dimension, units in _BASE.items() for unit in units}
"""pint's name of a unit -> what it measures."""

DEFINITIONS = (
    "dollar = [currency_dollar]",
    "dollar_cent = dollar / 100",
    "dollar_nickel = dollar / 20",
    "dollar_dime = dollar / 10",
    "pound_sterling = [currency_sterling]",
    "penny_sterling = pound_sterling / 100",
    "euro = [currency_euro]",
    "rupee = [currency_rupee]",
    "paisa = rupee / 100",
    "yuan = [currency_yuan]",
    "jiao = yuan / 10",
    "fen = yuan / 100",
    "mu_area = 2000 / 3 * meter ** 2",
    "jin = 500 * gram",
    "decade_of_years = 10 * year",
)
"""What pint has to be told; currencies do not convert into one another."""

WORDS: dict[str, str] = {
    word: unit for units in _BASE.values() for unit, words in units.items() for word in words.split()
}
"""Single words, in lower case -> unit. Found anywhere in a text; what may stand around them is units.py's part."""

NEEDS_NUMBER = frozenset({"second", "foot", "yard", "pint", "cup", "cups", "kilo", "nickel"})
"""Words that are a unit only behind a number, an article or "per"."""

ABBREVIATIONS: dict[str, str] = {
    "km": "kilometer",
    "Km": "kilometer",
    "KM": "kilometer",
    "m": "meter",
    "dm": "decimeter",
    "cm": "centimeter",
    "mm": "millimeter",
    "in": "inch",
    "ft": "foot",
    "yd": "yard",
    "mi": "mile",
    "kg": "kilogram",
    "Kg": "kilogram",
    "KG": "kilogram",
    "gm": "gram",
    "gms": "gram",
    "g": "gram",
    "mg": "milligram",
    "lb": "pound",
    "lbs": "pound",
    "oz": "ounce",
    "t": "metric_ton",
    "s": "second",
    "sec": "second",
    "min": "minute",
    "mins": "minute",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "L": "liter",
    "l": "liter",
    "mL": "milliliter",
    "ml": "milliliter",
    "gal": "gallon",
    "qt": "quart",
    "ha": "hectare",
    "km/h": "kilometer / hour",
    "km/hr": "kilometer / hour",
    "kmph": "kilometer / hour",
    "kph": "kilometer / hour",
    "mph": "mile / hour",
    "m/s": "meter / second",
    "km/s": "kilometer / second",
    "m/min": "meter / minute",
    "cm/s": "centimeter / second",
    "ft/s": "foot / second",
    "rad": "radian",
    "°C": "degree_Celsius",
    "℃": "degree_Celsius",
    "°F": "degree_Fahrenheit",
    "℉": "degree_Fahrenheit",
    "°": "degree",
    r"^\circ": "degree",
    r"^{\circ}": "degree",
    r"{}^{\circ}": "degree",
}
"""Short forms -> unit. Found behind a number only."""

MONEY_SIGNS: dict[str, str] = {
    "$": "dollar",
    "£": "pound_sterling",
    "€": "euro",
    "¥": "yuan",
    "￥": "yuan",
    "₹": "rupee",
    "Rs.": "rupee",
    "Rs": "rupee",
    "rs.": "rupee",
    "rs": "rupee",
    "INR": "rupee",
    "USD": "dollar",
    "US$": "dollar",
}
"""Signs and letters that stand before an amount."""

NAMES: dict[str, tuple[str, str]] = {
    unit: (words.split()[0], words.split()[1] if " " in words else words)
    for units in _BASE.values()
    for unit, words in units.items()
    if words and unit not in {"mile / hour", "kilometer / hour"}
} | {"pound_sterling": ("pound", "pounds"), "penny_sterling": ("penny", "pence")}
"""pint's name of a simple unit -> its English name for one and for several (British spelling)."""

CHINESE: dict[str, str] = {
    "平方千米": "kilometer ** 2",
    "平方公里": "kilometer ** 2",
    "平方分米": "decimeter ** 2",
    "平方厘米": "centimeter ** 2",
    "平方毫米": "millimeter ** 2",
    "平方米": "meter ** 2",
    "立方分米": "decimeter ** 3",
    "立方厘米": "centimeter ** 3",
    "立方米": "meter ** 3",
    "公顷": "hectare",
    "千米/时": "kilometer / hour",
    "千米/小时": "kilometer / hour",
    "米/秒": "meter / second",
    "米/分": "meter / minute",
    "千米": "kilometer",
    "公里": "kilometer",
    "分米": "decimeter",
    "厘米": "centimeter",
    "毫米": "millimeter",
    "千克": "kilogram",
    "公斤": "kilogram",
    "毫克": "milligram",
    "毫升": "milliliter",
    "小时": "hour",
    "分钟": "minute",
    "秒钟": "second",
    "星期": "week",
    "摄氏度": "degree_Celsius",
    "英里": "mile",
    "英寸": "inch",
    "英尺": "foot",
    "美元": "dollar",
    "欧元": "euro",
}
"""Chinese names of two characters and more -> unit. Found anywhere in a text."""

CHINESE_AFTER_NUMBER: dict[str, str] = {
    "米": "meter",
    "克": "gram",
    "吨": "metric_ton",
    "斤": "jin",
    "元": "yuan",
    "块钱": "yuan",
    "角": "jiao",
    "时": "hour",
    "分": "minute",
    "秒": "second",
    "天": "day",
    "日": "day",
    "周": "week",
    "个月": "month",
    "月": "month",
    "年": "year",
    "升": "liter",
    "度": "degree",
    "亩": "mu_area",
}
"""Chinese names that are a unit only behind a number (or 每, "per")."""
