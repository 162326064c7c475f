"""A form that shows the problems found by a service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from django import forms

from questionbank.core.errors import KindredError, ValidationFailed
from questionbank.core.wording import number_text


def _say_bounds(field: forms.Field) -> None:
    """Set error messages that state the bounds of a number or the maximum length of a text."""
    if isinstance(field, forms.CharField) and field.max_length is not None:
        said = f"Use at most {field.max_length:,} characters; this has %(show_value)d."
        field.error_messages.setdefault("max_length", said)
    if not isinstance(field, forms.IntegerField | forms.FloatField):
        return
    low, high = (None if bound is None else number_text(bound) for bound in (field.min_value, field.max_value))
    if low is not None and high is not None:
        wanted = f"Enter a number from {low} to {high}."
    else:
        wanted = f"Enter {high} or a smaller number." if low is None else f"Enter {low} or a larger number."
    field.error_messages |= {"min_value": wanted, "max_value": wanted}


class ServiceForm(forms.Form):
    """A form whose fields are named like the fields of the service's problems.

    Attributes:
        main_field: the field beside which problems of no field are shown; by default they are shown above the form.
        refusal: why a service refused the whole request, if the view collects such errors.
    """

    main_field: ClassVar[str | None] = None
    refusal = ""

    def full_clean(self) -> None:
        """Check the fields; a value out of bounds is refused with a message that states the bounds."""
        for field in self.fields.values():
            _say_bounds(field)
        super().full_clean()

    def add_problems(self, error: ValidationFailed) -> None:
        """Put each problem beside its field, and problems of no field above the form."""
        for name, problems in (error.fields or {"": [str(error)]}).items():
            self.add_error(name if name in self.fields else self.main_field, problems)

    @contextmanager
    def takes_problems(self, *refusals: type[KindredError]) -> Iterator[None]:
        """Show the problems a service finds in the form; errors of the types in `refusals` become its `refusal`."""
        try:
            yield
        except ValidationFailed as error:
            self.add_problems(error)
        except refusals as error:
            self.refusal = str(error)

    @property
    def status(self) -> int:
        """Status code of the page with the form: 409 after a refusal, 422 if something is wrong, else 200."""
        return 409 if self.refusal else 422 if self.errors else 200
