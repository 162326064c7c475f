"""People: invite somebody, give roles, close an account."""

from __future__ import annotations

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from questionbank.errors import ValidationFailed
from questionbank.forms.people import InvitationForm, PersonForm
from questionbank.models import User
from questionbank.selectors.questions.people import people, person_get
from questionbank.services.people import invitation_send, person_invite, person_set_active, person_update
from questionbank.views.access import requires, takes_posts

__all__ = ["person_active_view", "person_detail", "person_invite_page", "person_list"]


@requires("people_manage")
@require_safe
def person_list(request: HttpRequest) -> HttpResponse:
    """Show everybody with an account."""
    return render(request, "people/list.html", {"people": people()})


@requires("people_manage")
@require_http_methods(["GET", "HEAD", "POST"])
def person_invite_page(request: HttpRequest) -> HttpResponse:
    """Add a person, send the invitation where there is an address, and show its link."""
    form = InvitationForm(request.POST or None, initial={"roles": ["teacher"]})
    if request.method == "POST" and form.is_valid():
        try:
            person = person_invite(user=request.user, **form.cleaned_data)
        except ValidationFailed as error:
            form.add_problems(error)
        else:
            link = _invitation_link(request, person)
            if person.email and invitation_send(person=person, inviter=request.user, link=link):
                messages.success(
                    request, _("The invitation is on its way to %(email)s.") % {"email": person.email}
                )
            elif person.email:
                messages.warning(
                    request,
                    _("%(name)s is added, but the e-mail could not be sent. Pass the link below on.")
                    % {"name": person},
                )
            else:
                messages.success(request, _("%(name)s is added. Pass the link below on.") % {"name": person})
            return redirect("person_detail", person_id=person.pk)
    return render(request, "people/invite.html", {"form": form}, status=422 if form.errors else 200)


@requires("people_manage")
@require_http_methods(["GET", "HEAD", "POST"])
def person_detail(request: HttpRequest, person_id: int) -> HttpResponse:
    """Change a person's name, address and roles; shows the invitation link until they chose a password."""
    person = person_get(person_id=person_id)
    roles = [group.name for group in person.groups.all()]
    initial = {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "email": person.email,
        "roles": roles,
    }
    form = PersonForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            person_update(user=request.user, person=person, **form.cleaned_data)
            messages.success(request, _("The changes are saved."))
            return redirect("person_detail", person_id=person_id)
        except ValidationFailed as error:
            form.add_problems(error)
            person = person_get(person_id=person_id)
    context = {
        "person": person,
        "form": form,
        "may_change": not person.is_superuser or request.user.is_superuser,
        "invitation": "" if person.has_usable_password() else _invitation_link(request, person),
    }
    return render(request, "people/detail.html", context, status=422 if form.errors else 200)


@requires("people_manage")
@takes_posts(back="person_list")
def person_active_view(request: HttpRequest, person_id: int) -> HttpResponse:
    """Close (`active` 0) or open (`active` 1) an account."""
    person = person_get(person_id=person_id)
    is_active = request.POST.get("active") == "1"
    try:
        person_set_active(user=request.user, person=person, is_active=is_active)
        sentence = _("%(name)s can log in again.") if is_active else _("%(name)s can no longer log in.")
        messages.success(request, sentence % {"name": person})
    except ValidationFailed as error:
        messages.error(request, str(error))
    return redirect("person_detail", person_id=person_id)


def _invitation_link(request: HttpRequest, person: User) -> str:
    """Return the address where the person chooses a password; it ends when they have, or after three days."""
    key = default_token_generator.make_token(person)
    address = reverse("account_reset_password_from_key", args=[user_pk_to_url_str(person), key])
    return request.build_absolute_uri(address)
