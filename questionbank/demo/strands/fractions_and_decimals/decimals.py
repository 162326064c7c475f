"""Fractions and decimals: decimals."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, money, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun, cap

__all__ = ["PATTERNS"]

_GOODS = (  # thing, lowest and highest price in pence
    (Noun("sandwich", "sandwiches"), 240, 495),
    (Noun("notebook"), 125, 380),
    (Noun("bus ticket"), 180, 320),
    (Noun("bottle of water", "bottles of water"), 75, 160),
    (Noun("pot of yoghurt", "pots of yoghurt"), 60, 145),
    (Noun("birthday card"), 150, 350),
    (Noun("loaf of bread", "loaves of bread"), 135, 310),
)


def hundredths(d: Draw, low: int, high: int) -> Fraction:
    """Draw a decimal with one or two digits after the point, between `low` and `high` hundredths."""
    number = d.whole(low, high)
    d.require(number % 100 != 0)
    return Fraction(number, 100)


def decimal_sum(d: Draw) -> Item:
    a = Fraction(d.whole(21, 389), 10)
    b = hundredths(d, 112, 1499)
    d.require(a.denominator > 1 and (b * 10).denominator > 1)
    minus = a > b + 1 and d.chance()
    value, sign = (a - b, "-") if minus else (a + b, "+")
    first, second = decimal(a), decimal(b)
    misaligned = Fraction(int(first.replace(".", "")), 100)
    slip = abs(misaligned - b) if minus else misaligned + b
    return Item(
        ask=(
            f"Work out ${first} {sign} {second}$.",
            f"Calculate ${first} {sign} {second}$ without a calculator.",
            f"${first} {sign} {second} =$ ____",
        ),
        answer=decimal(value),
        steps=(
            f"Write both numbers with two decimal places: ${decimal(a, 2)} {sign} {decimal(b, 2)}$.",
            f"${decimal(a, 2)} {sign} {decimal(b, 2)} = {decimal(value, 2)}$"
            + (f", that is {decimal(value)}." if decimal(value) != decimal(value, 2) else ""),
        ),
        wrong=(
            (decimal(slip), "Lines up the last digits instead of the decimal points"),
            (decimal(value + Fraction(1, 10)), "Makes a slip of one in the tenths"),
            (decimal(abs(value - 1)), "Makes a slip of one in the ones"),
        ),
        choice=0.35,
    )


def decimal_product(d: Draw) -> Item:
    a, b = Fraction(d.whole(12, 98), 10), Fraction(d.whole(2, 99), d.one_of(10, 100))
    d.require(a.denominator > 1 and b.denominator > 1 and b < 10)
    value = a * b
    first, second = decimal(a), decimal(b)
    places = len(first.split(".")[1]) + len(second.split(".")[1])
    digits = int(value * 10**places)
    whole_a, whole_b = int(first.replace(".", "")), int(second.replace(".", ""))
    return Item(
        ask=(
            f"Work out ${first} \\times {second}$.",
            f"Find the product of {first} and {second}.",
            (
                f"You know that ${whole_a} \\times {whole_b} = {tex(digits)}$. What is ${first} \\times"
                f" {second}$?"
            ),
            f"${first} \\times {second} =$ ____",
        ),
        answer=decimal(value),
        steps=(
            f"Without decimal points: ${whole_a} \\times {whole_b} = {tex(digits)}$.",
            f"The factors have {places} decimal places together, so the product is {decimal(value)}.",
        ),
        wrong=(
            (decimal(value * 10), "Counts one decimal place too few"),
            (decimal(value / 10), "Counts one decimal place too many"),
            (decimal(value * 100), "Counts the decimal places of one factor only"),
            (decimal(a + b), "Adds instead of multiplying"),
        ),
        choice=0.45,
    )


def decimal_quotient(d: Draw) -> Item:
    divisor, result = Fraction(d.whole(2, 9), d.one_of(10, 100)), d.whole(4, 90)
    value = Fraction(result, d.one_of(1, 1, 10))
    top = divisor * value
    scale = divisor.denominator if decimal(divisor).count(".") else 1
    scale = 10 ** len(decimal(divisor).split(".")[1])
    return Item(
        ask=(
            f"Work out ${decimal(top)} \\div {decimal(divisor)}$.",
            f"Divide {decimal(top)} by {decimal(divisor)}.",
            (
                f"How many times does {decimal(divisor)} go into {decimal(top)}?"
                if value.denominator == 1
                else f"Calculate ${decimal(top)} \\div {decimal(divisor)}$."
            ),
            f"${decimal(top)} \\div {decimal(divisor)} =$ ____",
        ),
        answer=decimal(value),
        steps=(
            f"Multiply both numbers by {scale}: ${decimal(top * scale)} \\div {decimal(divisor * scale)}$.",
            f"${decimal(top * scale)} \\div {decimal(divisor * scale)} = {decimal(value)}$",
        ),
        wrong=(
            (decimal(value / scale), "Forgets to change the first number when the second is made whole"),
            (decimal(value * scale), "Moves the decimal point twice"),
            (decimal(top * divisor), "Multiplies instead of dividing"),
            (decimal(value * scale * 10), "Moves the decimal point one place too far"),
        ),
        choice=0.4,
    )


def shopping_total(d: Draw) -> Item:
    (first, low, high), (second, low2, high2) = d.sample(_GOODS, 2)
    p, q = (Fraction(d.whole(a // 5, b // 5) * 5, 100) for a, b in ((low, high), (low2, high2)))
    n, k = d.whole(2, 6), d.whole(2, 5)
    d.require(n != k)
    total = n * p + k * q
    buyer = d.person()
    return Item(
        ask=(
            (
                f"{cap(article_of(first))} costs {money(p)} and {article_of(second)} costs {money(q)}."
                f" {buyer} buys {first(n)} and {second(k)}. How many pounds does {buyer.he} pay?"
            ),
            (
                f"{buyer} buys {first(n)} at {money(p)} each and {second(k)} at {money(q)} each. What is the"
                " total cost in pounds?"
            ),
        ),
        answer=decimal(total, 2),
        steps=(
            (
                f"${n} \\times {decimal(p, 2)} = {decimal(n * p, 2)}$ and ${k} \\times {decimal(q, 2)} ="
                f" {decimal(k * q, 2)}$."
            ),
            (
                f"${decimal(n * p, 2)} + {decimal(k * q, 2)} = {decimal(total, 2)}$, so {buyer} pays"
                f" {money(total)}."
            ),
        ),
        equation=f"{n}*{as_priced(p)}+{k}*{as_priced(q)}",
    )


def as_priced(price: Fraction) -> str:
    """Return a price as it stands in the text, without its sign."""
    return money(price, "")


def article_of(thing: Noun) -> str:
    """Return the thing with its article; every good of this module begins with a consonant."""
    return f"a {thing.one}"


def change_given(d: Draw) -> Item:
    thing, low, high = d.one_of(*_GOODS)
    price, n, note = Fraction(d.whole(low // 5, high // 5) * 5, 100), d.whole(2, 6), d.one_of(5, 10, 20)
    change = note - n * price
    d.require(0 < change < note * Fraction(7, 10) and change.denominator > 1 and price.denominator > 1)
    buyer = d.person()
    return Item(
        ask=(
            (
                f"{buyer} buys {thing(n)} at {money(price)} each and pays with a £{note} note. How many"
                f" pounds change does {buyer.he} get?"
            ),
            (
                f"{cap(str(thing))} cost {money(price)} each. How much change, in pounds, is there from"
                f" £{note} for {thing(n)}?"
            ),
        ),
        answer=decimal(change, 2),
        steps=(
            f"The price is ${n} \\times {decimal(price, 2)} = {decimal(n * price, 2)}$ pounds.",
            f"The change is ${note} - {decimal(n * price, 2)} = {decimal(change, 2)}$ pounds.",
        ),
        wrong=(
            (decimal(note - price, 2), "Pays for one only"),
            (decimal(n * price, 2), "Gives the price and not the change"),
            (decimal(change + 1, 2), "Makes a slip of one pound when subtracting"),
        ),
        choice=0.3,
        equation=f"{note}-{n}*{as_priced(price)}",
    )


def split_the_bill(d: Draw) -> Item:
    friends, each, voucher = d.whole(3, 8), Fraction(d.whole(120, 330) * 5, 100), d.one_of(5, 10, 15)
    bill = each * friends + voucher
    d.require(each.denominator > 1 and bill.denominator > 1)
    place = d.one_of("a pizzeria", "a noodle bar", "a café", "an ice rink", "a bowling alley")
    return Item(
        ask=(
            (
                f"{friends} friends spend {money(bill)} at {place}. They use a voucher worth £{voucher} and"
                " share the rest equally. How many pounds does each pay?"
            ),
            (
                f"The bill for {friends} friends at {place} is {money(bill)}. A voucher takes off £{voucher},"
                " and they split what is left equally. How many pounds is each share?"
            ),
        ),
        answer=decimal(each, 2),
        steps=(
            f"After the voucher: ${decimal(bill, 2)} - {voucher} = {decimal(bill - voucher, 2)}$ pounds.",
            f"Each pays ${decimal(bill - voucher, 2)} \\div {friends} = {decimal(each, 2)}$ pounds.",
        ),
        equation=f"({decimal(bill, 2)}-{voucher})/{friends}",
    )


def fraction_to_decimal(d: Draw) -> Item:
    bottom = d.one_of(4, 5, 8, 16, 20, 25, 40, 50)
    value = Fraction(d.whole(1, bottom - 1), bottom)
    d.require(value.denominator == bottom)
    factor = next(10**k // bottom for k in range(1, 5) if 10**k % bottom == 0)
    scale = bottom * factor
    return Item(
        ask=(
            f"Write ${tex(value)}$ as a decimal.",
            f"Convert ${tex(value)}$ to a decimal without a calculator.",
            f"As a decimal, ${tex(value)} =$ ____.",
        ),
        answer=decimal(value),
        steps=(
            f"Make the denominator a power of ten: ${tex(value)} = {frac(value.numerator * factor, scale)}$.",
            f"${frac(value.numerator * factor, scale)} = {decimal(value)}$",
        ),
        wrong=(
            (f"{value.numerator}.{bottom}", "Writes numerator and denominator on either side of the point"),
            (decimal(value * 10), "Puts the point one place too far to the right"),
            (f"0.{value.numerator}{bottom}", "Writes numerator and denominator after the point"),
            (decimal(value / 10), "Puts the point one place too far to the left"),
        ),
    )


def recurring_to_fraction(d: Draw) -> Item:
    two_digits = d.chance(0.6)
    digits = d.whole(12, 98) if two_digits else d.one_of(1, 2, 4, 5, 7, 8)
    d.require(not two_digits or digits % 11 != 0)
    nines = 99 if two_digits else 9
    value = Fraction(digits, nines)
    shown = rf"0.\overline{{{digits}}}"
    scale = nines + 1
    return Item(
        ask=(
            f"Write the recurring decimal ${shown}$ as a fraction in lowest terms.",
            f"Let $x = {shown}$. Express $x$ as a fraction.",
            f"Which fraction has the decimal expansion ${shown}$?",
        ),
        answer=m(value),
        steps=(
            rf"Let $x = {shown}$. Then ${scale}x = {digits}.\overline{{{digits}}}$.",
            f"Subtract: ${nines}x = {digits}$.",
            (
                f"$x = {frac(digits, nines)}$"
                if value.denominator == nines
                else f"$x = {frac(digits, nines)} = {tex(value)}$"
            ),
        ),
        wrong=(
            (m(Fraction(digits, scale)), "Treats the recurring decimal as a terminating one"),
            (m(Fraction(digits, nines * 10)), "Uses a nine and a zero too many"),
            (m(Fraction(digits, 99 if nines == 9 else 999)), "Uses one nine too many"),
            (m(Fraction(digits + 1, nines)), "Makes a slip in the numerator"),
        ),
        choice=0.35,
    )


def decimal_to_fraction(d: Draw) -> Item:
    places = d.one_of(1, 2, 2, 3)
    number = d.whole(2, 10**places - 1)
    d.require(number % 10 != 0)
    value = Fraction(number, 10**places)
    d.require(value.denominator != 10**places)
    shown = decimal(value)
    return Item(
        ask=(
            f"Write {shown} as a fraction in lowest terms.",
            f"Convert {shown} to a fraction and simplify it.",
            f"Which fraction in its simplest form equals {shown}?",
            f"As a fraction in lowest terms, {shown} is ____.",
        ),
        answer=m(value),
        steps=(
            f"{shown} has {places} decimal place{'s' if places > 1 else ''}: ${frac(number, 10**places)}$.",
            f"Cancel by {10**places // value.denominator}: ${tex(value)}$.",
        ),
        wrong=(
            (m(frac(number, 10 ** (places + 1))), "Uses a denominator with one zero too many"),
            (m(frac(1, number)), "Puts the digits under 1"),
            (m(frac(number, 10**places)), "Does not simplify"),
        ),
        choice=0.35,
    )


def tank_left(d: Draw) -> Item:
    start, used = Fraction(d.whole(205, 600), 10), Fraction(d.whole(15, 48), 10)
    trips = d.whole(3, 7)
    left = start - trips * used
    d.require(left > 2 and start.denominator > 1 and used.denominator > 1)
    vessel, action = d.one_of(
        ("A tank holds", "Every day"),
        ("A rain barrel contains", "For each flower bed"),
        ("A milk churn holds", "For each jug"),
    )
    times = {"Every day": "days", "For each flower bed": "flower beds", "For each jug": "jugs"}[action]
    return Item(
        ask=(
            (
                f"{vessel} {decimal(start)} litres. {action} {decimal(used)} litres are taken out. How many"
                f" litres are left after {trips} {times}?"
            ),
            (
                f"{vessel} {decimal(start)} litres, and {action.lower()} {decimal(used)} litres are used. How"
                f" many litres remain after {trips} {times}?"
            ),
        ),
        answer=decimal(left),
        steps=(
            f"Taken out: ${trips} \\times {decimal(used)} = {decimal(trips * used)}$ litres.",
            f"Left: ${decimal(start)} - {decimal(trips * used)} = {decimal(left)}$ litres.",
        ),
        equation=f"{decimal(start)}-{trips}*{decimal(used)}",
    )


PATTERNS = (
    Pattern("decimal-sum", "Decimal arithmetic", 5, -1.5, decimal_sum),
    Pattern("decimal-product", "Decimal arithmetic", 6, 0.0, decimal_product),
    Pattern("decimal-quotient", "Decimal arithmetic", 6, 0.5, decimal_quotient),
    Pattern("tank-left", "Decimal arithmetic", 5, -0.5, tank_left),
    Pattern("shopping-total", "Money problems", 5, -0.7, shopping_total),
    Pattern("change-given", "Money problems", 4, -0.3, change_given),
    Pattern("split-the-bill", "Money problems", 6, -0.2, split_the_bill),
    Pattern("fraction-to-decimal", "Fractions as decimals", 6, -0.8, fraction_to_decimal),
    Pattern("decimal-to-fraction", "Fractions as decimals", 6, -0.7, decimal_to_fraction),
    Pattern("recurring-to-fraction", "Fractions as decimals", 9, 0.8, recurring_to_fraction),
)
