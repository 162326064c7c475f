"""A form that takes over what a service found wrong."""

from __future__ import annotations

from django import forms

from questionbank.errors import ValidationFailed


class ServiceForm(forms.Form):
    """Its fields have the names that the service's problems have."""

    def add_problems(self, error: ValidationFailed) -> None:
        """Put each problem beside its field, and those of no field above the form."""
        for name, problems in (error.fields or {"": [str(error)]}).items():
            self.add_error(name if name in self.fields else None, problems)
