"""Entry point of a WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

from questionbank.page_limits import limit_page_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings")

application = get_wsgi_application()
limit_page_connections()

from questionbank.warm_up import warm_up_beside  # noqa: E402 - it needs the application

warm_up_beside()
