"""What forms say of bounds: our sentences, in every form."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from allauth.account.forms import ReauthenticateForm
from django import forms

import questionbank
from questionbank.core.forms import ServiceForm


def every_form() -> list[type[forms.Form]]:
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(questionbank.__path__, "questionbank.")
        if module.name.rpartition(".")[2].endswith(("forms", "views"))
    ]
    found = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    return sorted((one for one in found if issubclass(one, forms.BaseForm)), key=lambda one: one.__name__)


def test_every_form_says_what_is_wrong_in_our_words() -> None:
    written = [one for one in every_form() if not issubclass(one, ReauthenticateForm)]  # that is django-allauth's
    django_s = [one.__name__ for one in written if one.__module__.startswith("questionbank.")]
    ours = [one.__name__ for one in written if issubclass(one, ServiceForm)]
    assert django_s == ours


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("points", "-1", "Enter a number from 0 to 100."),
        ("points", "101", "Enter a number from 0 to 100."),
        ("least", "4", "Enter 5 or a larger number."),
        ("title", "x" * 1_001, "Use at most 1,000 characters; this has 1001."),
    ],
)
def test_bounds_are_named(name: str, value: str, sentence: str) -> None:
    class Bounded(ServiceForm):
        points = forms.FloatField(min_value=0, max_value=100, required=False)
        least = forms.IntegerField(min_value=5, required=False)
        title = forms.CharField(max_length=1_000, required=False)

    assert Bounded({name: value}).errors[name] == [sentence]
