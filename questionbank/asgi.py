"""Entry point of a ASGI server."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings")

application = get_asgi_application()
