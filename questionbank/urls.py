"""All URLs of the site; those of a single capability are in its class (`questionbank.capabilities`).

Only the parts of django-allauth that a closed school needs are here: log-in, also through providers, log-out, password
and two-step log-in.
The sign-up URL redirects to the log-in, because allauth's templates and mails refer to it.
"""

from __future__ import annotations

from allauth.account import views as account
from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from questionbank.admin import site
from questionbank.api import key_views as api_keys
from questionbank.api.v1 import api_patterns
from questionbank.assistants import views as assistants
from questionbank.bank import home_views as home
from questionbank.core.capability_catalog import capability_pages
from questionbank.hooks import views as hooks
from questionbank.imports import views as imports
from questionbank.operations import views as health
from questionbank.operations import views as runs
from questionbank.papers import views as documents
from questionbank.people import school_views as schools
from questionbank.people import sign_on_views as sign_on
from questionbank.people import views as people
from questionbank.protection import views as person_data
from questionbank.protection import views as retention
from questionbank.questions import bulk_views as bulk_changes
from questionbank.questions import concept_views as concepts
from questionbank.questions import list_views as question_lists
from questionbank.questions import paste_views as paste
from questionbank.questions import question_views as questions
from questionbank.questions import writing_views as writing
from questionbank.registry import language_model_views as language_model
from questionbank.registry import views as models
from questionbank.responses import views as response_deletion
from questionbank.responses import views as responses
from questionbank.search import synonym_views as synonyms
from questionbank.search import views as search
from questionbank.training import views as retraining
from questionbank.training import views as training
from questionbank.worksheets import editing_views as worksheet_editing
from questionbank.worksheets import views as worksheet_use
from questionbank.worksheets import views as worksheets

handler400 = "questionbank.core.views.bad_request"
handler403 = "questionbank.core.views.permission_denied"
handler404 = "questionbank.core.views.page_not_found"
handler500 = "questionbank.core.views.server_error"

account_patterns: list[URLPattern | URLResolver] = [
    path("login/", account.login, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("password/change/", sign_on.of_own(account.password_change), name="account_change_password"),
    path("password/set/", sign_on.of_own(account.password_set), name="account_set_password"),
    path("password/reset/", sign_on.of_all(account.password_reset), name="account_reset_password"),
    path("password/reset/done/", sign_on.of_all(account.password_reset_done), name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        sign_on.of_all(account.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/key/done/",
        sign_on.of_all(account.password_reset_from_key_done),
        name="account_reset_password_from_key_done",
    ),
    path("data/", person_data.own_data, name="account_data"),
    path("signup/", login_not_required(RedirectView.as_view(pattern_name="account_login")), name="account_signup"),
    path("2fa/", include("allauth.mfa.urls")),
    path("sessions/", people.session_list, name="session_list"),
    path("sessions/<int:session_id>/end/", people.session_end_view, name="session_end"),
    path("oidc/<slug:provider_id>/login/", sign_on.openid_login, name="openid_connect_login"),
    path("oidc/<slug:provider_id>/login/callback/", sign_on.openid_callback, name="openid_connect_callback"),
    path("saml/<slug:organization_slug>/login/", sign_on.saml_step("login"), name="saml_login"),
    path("saml/<slug:organization_slug>/acs/", sign_on.saml_step("acs"), name="saml_acs"),
    path("saml/<slug:organization_slug>/acs/finish/", sign_on.saml_step("finish_acs"), name="saml_finish_acs"),
    path("saml/<slug:organization_slug>/sls/", sign_on.saml_step("sls"), name="saml_sls"),
    path("saml/<slug:organization_slug>/metadata/", sign_on.saml_step("metadata"), name="saml_metadata"),
]

question_patterns: list[URLPattern | URLResolver] = [
    path("", search.question_list, name="question_list"),
    path("concepts/", search.combine_concepts, name="combine_concepts"),
    path("selected/", bulk_changes.selection_page, name="selection"),
    path("selected/<slug:format>/", bulk_changes.selection_export, name="selection_export"),
    path("changes/", bulk_changes.bulk_change_list, name="bulk_change_list"),
    path("changes/<int:change_id>/", bulk_changes.bulk_change_detail, name="bulk_change_detail"),
    path("changes/<int:change_id>/undo/", bulk_changes.bulk_change_undo, name="bulk_change_undo"),
    path("compare/", bulk_changes.question_merge, name="question_merge"),
    path("near-copies/", bulk_changes.question_near_copies, name="question_near_copies"),
    path("new/", writing.question_create_page, name="question_create"),
    path("preview/", writing.question_preview, name="question_preview"),
    path("concept-choices/", writing.concept_choices, name="concept_choices"),
    path("<int:question_id>/", questions.question_detail, name="question_detail"),
    path("<int:question_id>/edit/", writing.question_edit, name="question_edit"),
    path("<int:question_id>/retire/", questions.question_retire_page, name="question_retire"),
    path("<int:question_id>/exclude/", questions.question_exclude, name="question_exclude"),
    path("<int:question_id>/restore/", questions.question_restore_view, name="question_restore"),
    path("<int:question_id>/revert/<int:event>/", questions.question_revert_view, name="question_revert"),
    path("<int:question_id>/accept/", questions.question_accept, name="question_accept"),
    path("<int:question_id>/suggest/", questions.question_suggest, name="question_suggest"),
    path("<int:question_id>/hierarchy/", questions.question_hierarchy, name="question_hierarchy"),
    path("<int:question_id>/concepts/", questions.question_concepts, name="question_concepts"),
    path("<int:question_id>/similar/", questions.question_likeness, name="question_likeness"),
    path("<int:question_id>/similar/<slug:kinship>/", questions.question_similar, name="question_similar"),
]

saved_search_patterns: list[URLPattern | URLResolver] = [
    path("", search.saved_search_list, name="saved_search_list"),
    path("new/", search.saved_search_create_page, name="saved_search_create"),
    path("<int:search_id>/", search.saved_search_results, name="saved_search_results"),
    path("<int:search_id>/edit/", search.saved_search_edit, name="saved_search_edit"),
    path("<int:search_id>/delete/", search.saved_search_delete_page, name="saved_search_delete"),
]

concept_patterns: list[URLPattern | URLResolver] = [
    path("", concepts.concept_tree_page, name="concept_tree"),
    path("synonyms/", synonyms.synonym_list, name="synonym_list"),
    path("synonyms/new/", synonyms.synonym_create_page, name="synonym_create"),
    path("synonyms/<int:group_id>/", synonyms.synonym_edit_page, name="synonym_edit"),
    path("synonyms/<int:group_id>/delete/", synonyms.synonym_delete_view, name="synonym_delete"),
    path("hierarchies/new/", concepts.hierarchy_create_page, name="hierarchy_create"),
    path("hierarchies/<int:hierarchy_id>/rename/", concepts.hierarchy_rename_page, name="hierarchy_rename"),
    path("hierarchies/<int:hierarchy_id>/delete/", concepts.hierarchy_delete_page, name="hierarchy_delete"),
    path("hierarchies/<int:hierarchy_id>/default/", concepts.hierarchy_default_page, name="hierarchy_default"),
    path("hierarchies/<int:hierarchy_id>/new/", concepts.concept_create_page, name="concept_create"),
    path("<int:concept_id>/", concepts.concept_detail, name="concept_detail"),
    path("<int:concept_id>/rename/", concepts.concept_rename_page, name="concept_rename"),
    path("<int:concept_id>/<slug:change>/", concepts.concept_change, name="concept_change"),
]

model_patterns: list[URLPattern | URLResolver] = [
    path("", models.model_list, name="model_list"),
    path("train/<slug:capability>/", training.model_train, name="model_train"),
    path("train/<slug:capability>/report/", training.model_training_report, name="model_training_report"),
    path("retraining/", retraining.retraining_list, name="model_retraining"),
    path("retraining/<int:retraining_id>/read/", retraining.retraining_read, name="model_retraining_read"),
    path("retraining/<slug:capability>/", retraining.retraining_schedule, name="model_retraining_schedule"),
    path("old/", models.old_models_page, name="old_models"),
    path("old/delete/", models.old_models_delete_view, name="old_models_delete"),
    path("language-model/", language_model.language_model_page, name="language_model"),
    path("language-model/exam/", language_model.language_model_exam, name="language_model_exam"),
    path("language-model/<slug:use>/", language_model.language_model_use_switch, name="language_model_use_switch"),
    path("roll-back/<slug:capability>/", models.model_roll_back_page, name="model_roll_back"),
    path("history/<slug:capability>/", models.model_history, name="model_history"),
    path("<int:artifact_id>/", models.model_detail, name="model_detail"),
    path("<int:artifact_id>/compare/", models.model_compare, name="model_compare"),
    path("<int:artifact_id>/promote/", models.model_promote, name="model_promote"),
    path("<int:artifact_id>/delete/", models.model_delete, name="model_delete"),
]

run_patterns: list[URLPattern | URLResolver] = [
    path("", runs.run_list, name="run_list"),
    path("<int:run_id>/", runs.run_detail, name="run_detail"),
    path("<int:run_id>/progress/", runs.run_progress, name="run_progress"),
    path("<int:run_id>/cancel/", runs.run_cancel_view, name="run_cancel"),
    path("<int:run_id>/retry/", runs.run_retry_view, name="run_retry"),
    path("<int:run_id>/dismiss/", runs.run_dismiss_view, name="run_dismiss"),
    path("<int:run_id>/import/", imports.import_confirm, name="import_confirm"),
    path("<int:run_id>/undo/", imports.import_undo, name="import_undo"),
    path("<int:run_id>/choices/", imports.import_conflicts, name="import_conflicts"),
]

document_patterns: list[URLPattern | URLResolver] = [
    path("", documents.document_create, name="document_create"),
    path("<int:draft_id>/", documents.document_review_page, name="document_review"),
    path("<int:draft_id>/import/", documents.document_import, name="document_import"),
    path("<int:draft_id>/visibility/", documents.document_visibility, name="document_visibility"),
    path("<int:draft_id>/list/", documents.document_list, name="document_list"),
    path("<int:draft_id>/delete/", documents.document_delete, name="document_delete"),
    path("<int:draft_id>/known/<str:key>/", documents.document_outlook, name="document_outlook"),
]

list_patterns: list[URLPattern | URLResolver] = [
    path("", question_lists.list_index, name="list_index"),
    path("add/", question_lists.list_add, name="list_add"),
    path("<int:list_id>/", question_lists.list_detail, name="list_detail"),
    path("<int:list_id>/edit/", question_lists.list_edit, name="list_edit"),
    path("<int:list_id>/visibility/", question_lists.list_visibility, name="list_visibility"),
    path("<int:list_id>/delete/", question_lists.list_delete, name="list_delete"),
    path("<int:list_id>/export/<slug:format>/", question_lists.list_export, name="list_export"),
    path("<int:list_id>/questions/<int:question_id>/", question_lists.list_item, name="list_item"),
]

worksheet_patterns: list[URLPattern | URLResolver] = [
    path("", worksheets.worksheet_index, name="worksheet_index"),
    path("from-list/<int:list_id>/", worksheets.worksheet_from_list_view, name="worksheet_from_list"),
    path("<int:worksheet_id>/", worksheets.worksheet_detail, name="worksheet_detail"),
    path("<int:worksheet_id>/visibility/", worksheets.worksheet_visibility, name="worksheet_visibility"),
    path("<int:worksheet_id>/mark/", worksheets.worksheet_mark, name="worksheet_mark"),
    path("<int:worksheet_id>/after-use/", worksheet_use.worksheet_after_use, name="worksheet_after_use"),
    path("<int:worksheet_id>/marks/", worksheet_use.worksheet_marks, name="worksheet_marks"),
    path("<int:worksheet_id>/download/", worksheets.worksheet_download, name="worksheet_download"),
    path("<int:worksheet_id>/edit/", worksheet_editing.worksheet_edit, name="worksheet_edit"),
    path("<int:worksheet_id>/layout/", worksheet_editing.worksheet_layout, name="worksheet_layout"),
    path("<int:worksheet_id>/delete/", worksheet_editing.worksheet_delete_page, name="worksheet_delete"),
    path("<int:worksheet_id>/draw/", worksheet_editing.worksheet_draw, name="worksheet_draw"),
    path("<int:worksheet_id>/fill-up/", worksheet_editing.worksheet_fill_up, name="worksheet_fill_up"),
    path("<int:worksheet_id>/add/", worksheet_editing.worksheet_add_view, name="worksheet_add"),
    path("<int:worksheet_id>/sections/", worksheet_editing.worksheet_section, name="worksheet_section"),
    path("<int:worksheet_id>/order/", worksheet_editing.worksheet_by_difficulty, name="worksheet_by_difficulty"),
    path("<int:worksheet_id>/items/", worksheet_editing.worksheet_items, name="worksheet_items"),
    path("<int:worksheet_id>/items/<int:item_id>/", worksheet_editing.worksheet_item, name="worksheet_item"),
    path("<int:worksheet_id>/uses/", worksheet_editing.worksheet_uses, name="worksheet_uses"),
]

response_patterns: list[URLPattern | URLResolver] = [
    path("", responses.response_set_list, name="response_set_list"),
    path("import/", responses.response_upload, name="response_upload"),
    path("csv/", responses.response_figures_csv, name="response_figures_csv"),
    path("questions/", responses.response_questions, name="response_questions"),
    path("delete/", response_deletion.response_deletion, name="response_deletion"),
    path("import/check/", responses.response_check, name="response_check"),
    path("<int:set_id>/", responses.response_set_detail, name="response_set_detail"),
    path("<int:set_id>/visibility/", responses.response_set_visibility, name="response_set_visibility"),
    path("<int:set_id>/csv/", responses.response_set_csv, name="response_set_csv"),
    path("<int:set_id>/delete/", responses.response_set_delete_page, name="response_set_delete"),
]

people_patterns: list[URLPattern | URLResolver] = [
    path("", people.person_list, name="person_list"),
    path("invite/", people.person_invite_page, name="person_invite"),
    path("<int:person_id>/", people.person_detail, name="person_detail"),
    path("<int:person_id>/active/", people.person_active_view, name="person_active"),
    path("<int:person_id>/link/", people.person_password_link_view, name="person_password_link"),
    path("<int:person_id>/second-factor/", people.person_second_factor_view, name="person_second_factor"),
    path("<int:person_id>/data/", person_data.person_export, name="person_export"),
    path("<int:person_id>/delete/", person_data.person_delete_page, name="person_delete"),
]

school_patterns: list[URLPattern | URLResolver] = [
    path("", schools.school_list, name="school_list"),
    path("<int:school_id>/", schools.school_detail, name="school_detail"),
    path("<int:school_id>/delete/", schools.school_delete_page, name="school_delete"),
]

api_page_patterns: list[URLPattern | URLResolver] = [
    path("v1/", include((api_patterns(), "api"))),
    path("docs/", api_keys.api_docs, name="api_docs"),
    path("keys/", api_keys.api_key_list, name="api_key_list"),
    path("keys/<int:key_id>/revoke/", api_keys.api_key_revoke_view, name="api_key_revoke"),
    path("hooks/", hooks.hook_list, name="hook_list"),
    path("hooks/<int:hook_id>/", hooks.hook_detail, name="hook_detail"),
    path("hooks/<int:hook_id>/test/", hooks.hook_test_view, name="hook_test"),
    path("hooks/<int:hook_id>/active/", hooks.hook_active_view, name="hook_active"),
    path("hooks/<int:hook_id>/delete/", hooks.hook_delete_view, name="hook_delete"),
    path("hooks/<int:hook_id>/deliveries/<int:delivery_id>/replay/", hooks.hook_replay_view, name="hook_replay"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("questions/", include(question_patterns)),
    path("searches/", include(saved_search_patterns)),
    path("paste/", paste.paste, name="paste"),
    path("concepts/", include(concept_patterns)),
    path("lists/", include(list_patterns)),
    path("worksheets/", include(worksheet_patterns)),
    path("responses/", include(response_patterns)),
    path("pictures/<slug:sha256>", questions.picture, name="picture"),
    path("people/", include(people_patterns)),
    path("schools/", include(school_patterns)),
    path("data-protection/", retention.retention_page, name="data_protection"),
    path("api/", include(api_page_patterns)),
    path("mcp", assistants.mcp, name="mcp"),
    path("help/", home.help_page, name="help"),
    path("models/", include(model_patterns)),
    path("import/", documents.import_create, name="import_create"),
    path("import/paper/", include(document_patterns)),
    path("import/columns/", imports.import_columns, name="import_columns"),
    path("jobs/", include(run_patterns)),
    path("changes/", home.change_list, name="change_list"),
    path("changes/csv/", home.change_export, name="change_export"),
    path("theme/", home.theme, name="theme"),
    path("health/", health.health_status, name="health_status"),
    path("status/", health.site_status, name="site_status"),
    path("health/details/", health.health, name="health"),
    path("health/vectors/", health.health_vectors, name="health_vectors"),
    path("accounts/", include(account_patterns)),
    path("admin/", site.urls),
    *capability_pages(),
]
