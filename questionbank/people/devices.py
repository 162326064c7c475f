"""The names of devices, for people: "Firefox on Windows"."""

from __future__ import annotations

# Marks in a user agent -> names. The first match counts, as browsers also name those below them. Literal tables.
_BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Mac OS X": "a Mac",
    "Linux": "Linux",
}


def device_name(user_agent: str) -> str:
    """Return a name for the device that sent a user agent.

    >>> device_name("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0")
    'Firefox on Windows'
    """
    browser = next((name for mark, name in _BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in user_agent), "")
    return " on ".join(filter(None, [browser, system])) or "an unknown device"
