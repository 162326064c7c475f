"""Ratio and proportion: speed."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, tex
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
            (
                f"{who} keeps a speed of {speed} km/h for {decimal(time)} hours. How far does it go, in"
                " kilometres?"
                if who in {"A train", "A car", "A ferry", "A helicopter"}
                else (
                    f"{who} keeps a speed of {speed} km/h for {decimal(time)} hours. What distance is"
                    " covered, in kilometres?"
                )
            ),
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
    d.require(distance.denominator == 1 and quarters > 4)
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
            (
                f"{driver} drives {s1} km in {hours(t1)} and then {s2} km in {hours(t2)}. What is"
                f" {driver.his} average speed for the whole journey, in km/h?"
            ),
            (
                f"On the first part of a journey {driver} covers {s1} km in {hours(t1)}, on the second part"
                f" {s2} km in {hours(t2)}. Find the average speed of the whole journey in km/h."
            ),
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
            (
                f"A courier covers {distance} km at {v1} km/h and returns by the same road at {v2} km/h. What"
                " is the average speed for the whole trip?"
            ),
            (
                f"A cyclist training on a {distance} km road averages {v1} km/h out and {v2} km/h back. What"
                " is the average speed for both ways together?"
                if max(v1, v2) <= 30
                else (
                    f"A van goes {distance} km to a depot at {v1} km/h and comes back at {v2} km/h. Find its"
                    " average speed for both ways together."
                )
            ),
        ),
        answer=f"{decimal(average)} km/h",
        steps=(
            (
                f"Time out: ${distance} \\div {v1} = {tex(out)}$ h. Time back: ${distance} \\div {v2} ="
                f" {tex(back)}$ h."
            ),
            (
                f"Average speed: ${frac(2 * distance, tex(out + back))} = {decimal(average)}$, so"
                f" {decimal(average)} km/h."
                if (out + back).denominator == 1
                else (
                    f"Average speed: ${2 * distance} \\div {tex(out + back)} = {decimal(average)}$, so"
                    f" {decimal(average)} km/h."
                )
            ),
        ),
        wrong=(
            (f"{decimal(Fraction(v1 + v2, 2))} km/h", "Takes the mean of the two speeds"),
            (f"{v1 + v2} km/h", "Adds the speeds"),
            (f"{abs(v1 - v2)} km/h", "Subtracts the speeds"),
        ),
        choice=0.6,
    )


def catching_up(d: Draw) -> Item:
    at_sea, towards = d.chance(), d.chance()
    slow = d.whole(12, 26) if at_sea else d.whole(45, 75)
    gap, hours = d.whole(3, 14) if at_sea else d.whole(10, 30), d.whole(2, 6)
    fast, lead = slow + gap, gap * hours
    if towards:
        distance = (slow + fast) * hours
        return Item(
            ask=(
                (
                    (
                        f"Two boats are {distance} km apart and head straight for each other, one at {fast}"
                        f" km/h and the other at {slow} km/h. How many hours pass until they meet?"
                    ),
                    (
                        f"Two ferries leave ports {distance} km apart at the same time and sail towards each"
                        f" other at {fast} km/h and {slow} km/h. After how many hours do they meet?"
                    ),
                )
                if at_sea
                else (
                    (
                        f"Two trains start at the same time from stations {distance} km apart and travel"
                        f" towards each other at {fast} km/h and {slow} km/h. After how many hours do they"
                        " meet?"
                    ),
                    (
                        f"The distance between two towns is {distance} km. A bus leaves one of them at {slow}"
                        f" km/h and a car the other at {fast} km/h, towards each other. How many hours pass"
                        " until they meet?"
                    ),
                )
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
            (
                (
                    f"Two boats sail in the same direction, the slower one {lead} km ahead at {slow} km/h,"
                    f" the faster one behind it at {fast} km/h. How many hours pass until they are level?"
                ),
                (
                    f"A fishing boat at {slow} km/h has a lead of {lead} km over a patrol boat at {fast} km/h"
                    " that follows it. After how many hours is it caught up?"
                ),
            )
            if at_sea
            else (
                (
                    f"A lorry at {slow} km/h is {lead} km ahead of a car that follows at {fast} km/h. After"
                    " how many hours does the car catch up?"
                ),
                (
                    f"A coach travelling at {slow} km/h has a lead of {lead} km. A van follows it at {fast}"
                    " km/h. How many hours does the van need to draw level?"
                ),
            )
        ),
        answer=str(hours),
        steps=(
            f"The gap shrinks by ${fast} - {slow} = {gap}$ km every hour.",
            f"${lead} \\div {gap} = {hours}$ hours.",
        ),
        equation=f"{lead}/({fast}-{slow})",
    )


PATTERNS = (
    Pattern("distance-from-speed", "Speed, distance and time", 6, -1.4, distance_from_speed),
    Pattern("time-from-distance", "Speed, distance and time", 7, 0.2, time_from_distance),
    Pattern("average-speed", "Speed, distance and time", 7, 0.3, average_speed),
    Pattern("there-and-back", "Speed, distance and time", 8, 1.9, there_and_back),
    Pattern("catching-up", "Speed, distance and time", 8, 0.8, catching_up),
)
