"""A form that takes over what a service found wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from django import forms

from questionbank.errors import KindredError, ValidationFailed


class ServiceForm(forms.Form):
    """Its fields have the names that the service's problems have.

    Attributes:
        main_field: next to which a problem of no field is shown; by default it is shown above the form.
        refusal: why a service refused the whole, where its view asked for that.
    """

    main_field: ClassVar[str | None] = None
    refusal = ""

    def add_problems(self, error: ValidationFailed) -> None:
        """Put each problem next to its field, and those of no field above the form."""
        for name, problems in (error.fields or {"": [str(error)]}).items():
            self.add_error(name if name in self.fields else self.main_field, problems)

    @contextmanager
    def takes_problems(self, *refusals: type[KindredError]) -> Iterator[None]:
        """Show what a service finds wrong in the form; errors of the kinds `refusals` become its `refusal`."""
        try:
            yield
        except ValidationFailed as error:
            self.add_problems(error)
        except refusals as error:
            self.refusal = str(error)

    @property
    def status(self) -> int:
        """Status of the page that shows the form: 409 after a refusal, 422 where something is wrong, else 200."""
        return 409 if self.refusal else 422 if self.errors else 200
