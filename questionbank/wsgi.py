"""Entry point of a WSGI server.

Pages are imported while `manage.py serve` still prepares the installation; the site starts serving after that.
"""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from questionbank.core.file_lock import wait_until_prepared  # noqa: E402
from questionbank.core.outage import limit_page_connections  # noqa: E402

_ = get_resolver().url_patterns  # imports all pages
wait_until_prepared(settings.VAR_DIR)  # the application reads the list of static files
application = get_wsgi_application()
limit_page_connections()
