"""Ratio and proportion, second part: speed, unit rates, working together."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, mixed, money, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun

__all__ = ["PATTERNS"]

_TRAVELLERS = (  # who, verb, lowest and highest speed in km/h
    ("A cyclist", "rides", 12, 24),
    ("A train", "travels", 80, 160),
    ("A car", "drives", 40, 110),
    ("A ferry", "sails", 20, 40),
    ("A hiker", "walks", 3, 6),
    ("A helicopter", "flies", 150, 240),
)


def distance_from_speed(d: Draw) -> Item:
    who, verb, low, high = d.one_of(*_TRAVELLERS)
    speed, time = d.whole(low, high), Fraction(d.whole(3, 11), 2)
    d.require(low < 10 or speed % 2 == 0)
    distance = speed * time
    return Item(
        ask=(
            f"{who} {verb} for {decimal(time)} hours at a steady {speed} km/h. How many kilometres is that?",
            f"{who} keeps a speed of {speed} km/h for {decimal(time)} hours. How far does it go, in kilometres?"
            if who in {"A train", "A car", "A ferry", "A helicopter"}
            else f"{who} keeps a speed of {speed} km/h for {decimal(time)} hours. What distance is covered, in kilometres?",
        ),
        answer=decimal(distance),
        steps=(
            "Distance is speed times time.",
            f"${speed} \\times {decimal(time)} = {decimal(distance)}$ km.",
        ),
        equation=f"{speed}*{decimal(time)}",
    )


def time_from_distance(d: Draw) -> Item:
    who, verb, low, high = d.one_of(*_TRAVELLERS)
    speed, quarters = d.whole(low, high), d.whole(3, 18, but=(4, 8, 12, 16))
    distance = Fraction(speed * quarters, 4)
    d.require(distance.denominator == 1)
    hours, minutes = divmod(quarters * 15, 60)
    shown = f"{hours} h {minutes} min" if hours else f"{minutes} min"
    as_decimal = decimal(Fraction(quarters, 4))
    wrong_minutes = as_decimal.split(".")[1]
    return Item(
        ask=(
            f"{who} {verb} {distance} km at {speed} km/h. How long does it take, in hours and minutes?",
            f"How much time, in hours and minutes, is needed for {distance} km at a steady {speed} km/h?",
        ),
        answer=shown,
        steps=(
            f"Time is distance divided by speed: ${distance} \\div {speed} = {as_decimal}$ hours.",
            f"${as_decimal}$ h = {shown}",
        ),
        wrong=(
            (f"{hours} h {wrong_minutes.rstrip('0') or 0} min", "Reads the decimals of an hour as minutes"),
            (f"{hours + 1} h {minutes} min", "Counts one hour too many"),
            (
                f"{hours} h {60 - minutes if minutes != 30 else 45} min",
                "Makes an error in converting the part of an hour",
            ),
        ),
        choice=0.35,
    )


def average_speed(d: Draw) -> Item:
    v1, v2 = d.several(2, 3, 10)
    t1, t2 = d.whole(1, 3), d.whole(1, 4)
    scale = d.one_of(6, 8, 10)
    s1, s2 = v1 * scale * t1, v2 * scale * t2
    total = Fraction(s1 + s2, t1 + t2)
    mean = Fraction((v1 + v2) * scale, 2)
    d.require((total * 10).denominator == 1 and total != mean and t1 != t2)
    driver = d.person()
    hours = Noun("hour")
    return Item(
        ask=(
            f"{driver} drives {s1} km in {hours(t1)} and then {s2} km in {hours(t2)}. What is {driver.his} average speed for "
            "the whole journey, in km/h?",
            f"On the first part of a journey {driver} covers {s1} km in {hours(t1)}, on the second part {s2} km in "
            f"{hours(t2)}. Find the average speed of the whole journey in km/h.",
        ),
        answer=decimal(total),
        steps=(
            f"Total distance: ${s1} + {s2} = {s1 + s2}$ km. Total time: ${t1} + {t2} = {t1 + t2}$ h.",
            f"Average speed: ${s1 + s2} \\div {t1 + t2} = {decimal(total)}$ km/h.",
        ),
        wrong=(
            (decimal(mean), "Takes the mean of the two speeds"),
            (str(s1 + s2), "Gives the total distance"),
            (decimal(Fraction(s1 + s2, 2)), "Divides the total distance by the number of parts"),
        ),
        choice=0.4,
        equation=f"({s1}+{s2})/({t1}+{t2})",
    )


def there_and_back(d: Draw) -> Item:
    v1, v2, distance = d.one_of(
        (60, 40, 120),
        (30, 20, 60),
        (12, 6, 24),
        (20, 12, 60),
        (15, 10, 30),
        (80, 48, 240),
        (90, 45, 180),
        (24, 12, 48),
    )
    scale = d.one_of(1, 2, 3)
    distance *= scale
    if d.chance():
        v1, v2 = v2, v1
    average = Fraction(2 * v1 * v2, v1 + v2)
    out, back = Fraction(distance, v1), Fraction(distance, v2)
    return Item(
        ask=(
            f"A courier covers {distance} km at {v1} km/h and returns by the same road at {v2} km/h. What is the average "
            "speed for the whole trip?",
            f"A cyclist training on a {distance} km road averages {v1} km/h out and {v2} km/h back. What is the average speed "
            "for both ways together?"
            if max(v1, v2) <= 30
            else f"A van goes {distance} km to a depot at {v1} km/h and comes back at {v2} km/h. Find its average speed for "
            "both ways together.",
        ),
        answer=f"{decimal(average)} km/h",
        steps=(
            f"Time out: ${distance} \\div {v1} = {tex(out)}$ h. Time back: ${distance} \\div {v2} = {tex(back)}$ h.",
            f"Average speed: ${frac(2 * distance, tex(out + back))} = {decimal(average)}$, so {decimal(average)} km/h."
            if (out + back).denominator == 1
            else f"Average speed: ${2 * distance} \\div {tex(out + back)} = {decimal(average)}$, so {decimal(average)} km/h.",
        ),
        wrong=(
            (f"{decimal(Fraction(v1 + v2, 2))} km/h", "Takes the mean of the two speeds"),
            (f"{v1 + v2} km/h", "Adds the speeds"),
            (f"{abs(v1 - v2)} km/h", "Subtracts the speeds"),
        ),
        choice=0.6,
    )


def catching_up(d: Draw) -> Item:
    slow, gap, hours = d.whole(12, 60), d.whole(4, 24), d.whole(2, 6)
    fast, lead = slow + gap, gap * hours
    towards = d.chance()
    if towards:
        distance = (slow + fast) * hours
        return Item(
            ask=(
                f"Two trains start at the same time from stations {distance} km apart and travel towards each other at "
                f"{fast} km/h and {slow} km/h. After how many hours do they meet?",
                f"Two boats are {distance} km apart and head straight for each other, one at {fast} km/h and the other at "
                f"{slow} km/h. How many hours pass until they meet?",
            ),
            answer=str(hours),
            steps=(
                f"The distance shrinks by ${fast} + {slow} = {fast + slow}$ km every hour.",
                f"${distance} \\div {fast + slow} = {hours}$ hours.",
            ),
            equation=f"{distance}/({fast}+{slow})",
        )
    return Item(
        ask=(
            f"A lorry at {slow} km/h is {lead} km ahead of a car that follows at {fast} km/h. After how many hours does the "
            "car catch up?",
            f"Two boats sail in the same direction, the slower one {lead} km ahead at {slow} km/h, the faster one behind it "
            f"at {fast} km/h. How many hours pass until they are level?",
        ),
        answer=str(hours),
        steps=(
            f"The gap shrinks by ${fast} - {slow} = {gap}$ km every hour.",
            f"${lead} \\div {gap} = {hours}$ hours.",
        ),
        equation=f"{lead}/({fast}-{slow})",
    )


def best_buy(d: Draw) -> Item:
    goods, unit, low = d.one_of(
        ("rice", "kg", 90),
        ("orange juice", "litres", 110),
        ("potting soil", "kg", 40),
        ("olive oil", "litres", 480),
    )
    sizes = sorted(d.sample([2, 3, 4, 5, 6, 8, 10], 3))
    prices = [Fraction(d.whole(low, low * 3 // 2), 100) for _ in sizes]
    d.require(
        len(set(prices)) == 3
        and all((price * size * 20).denominator == 1 for price, size in zip(prices, sizes, strict=True))
    )
    totals = [price * size for price, size in zip(prices, sizes, strict=True)]
    best = min(range(3), key=lambda i: prices[i])
    d.require(best != 2 or d.chance(0.3))
    labels = [f"{size} {unit} for {money(total)}" for size, total in zip(sizes, totals, strict=True)]
    one = unit.removesuffix("s")
    return Item(
        ask=(
            f"A shop sells {goods} in three sizes: {labels[0]}, {labels[1]}, or {labels[2]}. Which is the best value?",
            f"Which offer of {goods} has the lowest price per {one}: {labels[0]}, {labels[1]}, or {labels[2]}?",
        ),
        answer=labels[best],
        steps=(
            *(
                f"{label}: ${decimal(total, 2)} \\div {size} = {decimal(price, 2)}$ pounds per {one}"
                for label, total, size, price in zip(labels, totals, sizes, prices, strict=True)
            ),
            f"The best value is {labels[best]}.",
        ),
    )


def pay_or_fuel(d: Draw) -> Item:
    n, k = d.several(2, 3, 15)
    rate, kind = d.whole(9, 24), d.whole(0, 2)
    person = d.person()
    given, result = n * rate, k * rate
    ask = (
        (
            f"{person} earns £{given} for {n} hours of work. How many pounds does {person.he} earn for {k} hours?",
            f"For {n} hours of work {person} is paid £{given}. At this rate, how many pounds are {k} hours worth?",
        ),
        (
            f"A tap fills {given} litres in {n} minutes. How many litres does it fill in {k} minutes?",
            f"{given} litres flow through a pipe in {n} minutes. How many litres flow in {k} minutes at the same rate?",
        ),
        (
            f"A car goes {given} km on {n} litres of petrol. How many kilometres does it go on {k} litres?",
            f"With {n} litres of fuel a van covers {given} km. How many kilometres can it cover with {k} litres?",
        ),
    )[kind]
    per = ("pounds an hour", "litres a minute", "km a litre")[kind]
    return Item(
        ask=ask,
        answer=str(result),
        steps=(f"The rate is ${given} \\div {n} = {rate}$ {per}.", f"${k} \\times {rate} = {result}$"),
        equation=f"{given}/{n}*{k}",
    )


def density(d: Draw) -> Item:
    material, value = d.one_of(
        ("iron", "7.8"),
        ("aluminium", "2.7"),
        ("oak", "0.7"),
        ("ice", "0.9"),
        ("glass", "2.5"),
        ("copper", "8.9"),
    )
    volume = d.whole(3, 40) * 10
    mass = Fraction(value) * volume
    wants_mass = d.chance()
    result = f"{decimal(mass)} g" if wants_mass else f"${volume}\\,\\text{{cm}}^3$"
    unit = r"$\text{g}/\text{cm}^3$"
    return Item(
        ask=(
            f"The density of {material} is {value} {unit}. What is the mass of $"
            + f"{volume}\\,\\text{{cm}}^3$ of {material}?",
            f"Find the mass of a piece of {material} with volume ${volume}\\,\\text{{cm}}^3$ and density {value} {unit}.",
        )
        if wants_mass
        else (
            f"The density of {material} is {value} {unit}. What is the volume of {decimal(mass)} g of {material}?",
            f"A piece of {material} has a mass of {decimal(mass)} g. The density is {value} {unit}. Find its volume.",
        ),
        answer=result,
        steps=(
            "Density is mass divided by volume.",
            f"Mass: ${value} \\times {volume} = {decimal(mass)}$, that is {decimal(mass)} g."
            if wants_mass
            else f"Volume: ${decimal(mass)} \\div {value} = {volume}$, that is {result}.",
        ),
    )


def two_pipes(d: Draw) -> Item:
    a, b = d.one_of(
        (3, 6),
        (4, 12),
        (6, 12),
        (10, 15),
        (12, 24),
        (6, 30),
        (20, 30),
        (5, 20),
        (8, 24),
        (12, 36),
        (15, 30),
        (18, 36),
        (20, 60),
        (4, 6),
        (9, 18),
        (10, 40),
        (12, 20),
        (3, 5),
    )
    time = Fraction(a * b, a + b)
    if d.chance():
        a, b = b, a
    rate = Fraction(1, a) + Fraction(1, b)
    ask = d.one_of(
        (
            f"One pipe fills a pool in {a} hours, another in {b} hours.",
            "How many hours do both together need?",
        ),
        (
            f"A painter alone needs {a} hours for a room, a colleague {b} hours.",
            "How many hours do they need together?",
        ),
        (
            f"An old mower cuts a field in {a} hours, a new one in {b} hours.",
            "How many hours do they need side by side?",
        ),
    )
    shown = mixed(time) if time.denominator > 1 else str(time)
    return Item(
        ask=(
            " ".join(ask),
            f"{ask[0]} They work at their own steady rates. {ask[1]}"
            if "pipe" not in ask[0]
            else f"{ask[0]} Both are opened. {ask[1]}",
        ),
        answer=str(time),
        steps=(
            f"In one hour they do ${frac(1, a)} + {frac(1, b)} = {tex(rate)}$ of the work.",
            f"The whole takes $1 \\div {tex(rate)} = {shown}$ hours"
            + (f", that is {time} hours." if time.denominator > 1 else "."),
        ),
        wrong=(
            (
                str(Fraction(a + b, 2)) if (a + b) % 2 == 0 else decimal(Fraction(a + b, 2)),
                "Takes the mean of the times",
            ),
            (str(a + b), "Adds the times"),
            (str(abs(a - b)), "Subtracts the times"),
        ),
        choice=0.45,
        equation=f"1/(1/{a}+1/{b})",
    )


def joined_later(d: Draw) -> Item:
    total = d.one_of(12, 15, 18, 20, 24, 30, 36)
    alone, second = d.whole(2, total - 4), d.one_of(12, 15, 18, 20, 24, 30, 36)
    rest = 1 - Fraction(alone, total)
    time = rest / (Fraction(1, total) + Fraction(1, second))
    d.require(time.denominator == 1 and time > 1)
    a, b = d.people(2)
    return Item(
        ask=(
            f"{a} can sort an archive in {total} days, {b} in {second} days. {a} works alone for {alone} days; then {b} joins. "
            "How many more days do they need?",
            f"Alone, {a} would need {total} days to restore a boat and {b} {second} days. After {alone} days on {a.his} own, "
            f"{a} is joined by {b}. How many days do they then work together?",
        ),
        answer=str(time),
        steps=(
            f"After {alone} days ${frac(alone, total)} is done, so ${tex(rest)}$ is left.",
            f"Together they do ${frac(1, total)} + {frac(1, second)} = {tex(Fraction(1, total) + Fraction(1, second))}$ a day.",
            f"${tex(rest)} \\div {tex(Fraction(1, total) + Fraction(1, second))} = {time}$ days.",
        ),
        equation=f"(1-{alone}/{total})/(1/{total}+1/{second})",
    )


PATTERNS = (
    Pattern("distance-from-speed", "Speed, distance and time", 6, -0.5, distance_from_speed),
    Pattern("time-from-distance", "Speed, distance and time", 7, 0.4, time_from_distance),
    Pattern("average-speed", "Speed, distance and time", 7, 0.5, average_speed),
    Pattern("there-and-back", "Speed, distance and time", 8, 1.4, there_and_back),
    Pattern("catching-up", "Speed, distance and time", 8, 0.8, catching_up),
    Pattern("best-buy", "Unit rates", 6, 0.1, best_buy),
    Pattern("pay-or-fuel", "Unit rates", 6, -0.4, pay_or_fuel),
    Pattern("density", "Unit rates", 8, 0.2, density),
    Pattern("two-pipes", "Working together", 9, 1.2, two_pipes),
    Pattern("joined-later", "Working together", 9, 1.7, joined_later),
)
