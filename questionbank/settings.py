"""Django settings: for production, unless `DEMO=1` (which only `make run` sets).

Everything that an installation may change comes from the environment, see `questionbank.core.env`.
"""

from __future__ import annotations

import structlog
from csp.constants import NONE, SELF
from redis.backoff import NoBackoff
from redis.retry import Retry

from questionbank.core import env
from questionbank.core.logs import without_reset_keys
from questionbank.people import sign_on

BASE_DIR = env.BASE_DIR
VAR_DIR = env.var_dir()
DEMO: bool = env.environment("DEMO")
DEBUG = False
SECRET_KEY = env.secret_key()
PORT: int = env.environment("PORT")
METRICS_PORT: int = env.environment("METRICS_PORT")
ALLOWED_HOSTS: list[str] = env.environment("ALLOWED_HOSTS") or ["localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS: list[str] = env.environment("CSRF_TRUSTED_ORIGINS")

# --- applications ---------------------------------------------------------------------------------
INSTALLED_APPS = [
    "questionbank.apps.QuestionBankConfig",
    "worker",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.saml",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "django_structlog",
    "ninja",
    "pghistory",
    "pgtrigger",
    "rules.apps.AutodiscoverRulesConfig",
    "treebeard",
]

MIDDLEWARE = [
    "questionbank.operations.metrics.MetricsMiddleware",
    "questionbank.core.middleware.ClientAddressMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "questionbank.api.errors.ApiMiddleware",  # outside of all that answers with pages
    "questionbank.core.middleware.OutageMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "questionbank.core.middleware.RequestSizeMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "questionbank.people.permissions.ViewerMiddleware",
    "questionbank.people.middleware.AuditMiddleware",
    "questionbank.core.middleware.LogInMiddleware",  # before the next, which reads bodies
    "django.middleware.csrf.CsrfViewMiddleware",
    "questionbank.core.middleware.ParametersMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "questionbank.people.middleware.PeopleMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "pghistory.middleware.HistoryMiddleware",
]

# The log shows the address that `ClientAddressMiddleware` trusts, not what other headers claim.
IPWARE_META_PRECEDENCE_ORDER = ("REMOTE_ADDR",)

ROOT_URLCONF = "questionbank.urls"
WSGI_APPLICATION = "questionbank.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "questionbank.people.middleware.site",
            ]
        },
    }
]

# --- PostgreSQL and Redis -------------------------------------------------------------------------
DATABASES = env.databases()
BEHIND_POOLER: bool = env.is_behind_pooler()
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": env.cache_url(),
        "VERSION": 2,  # increase it when the class of a cached value moves: pickles name its module
        "OPTIONS": {
            "socket_connect_timeout": 1,
            "socket_timeout": 1,
            "retry": Retry(NoBackoff(), 0),  # fail at once when Redis is down
        },
    }
}
SESSION_ENGINE = "django.contrib.sessions.backends.db"

# --- Celery ---------------------------------------------------------------------------------------
CELERY_BROKER_URL = env.broker_url()
CELERY_TASK_IGNORE_RESULT = True  # the results are in the table of runs
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "priority_steps": [0, 1, 2, 3],  # the values of `Run.Priority`
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "worker.celery:Scheduler"
CELERY_BEAT_SCHEDULE = {
    "measure-index-recall": {"task": "bank.measure_recall", "schedule": 3600.0},
    "settle-facet-counts": {"task": "bank.settle_facet_counts", "schedule": 600.0},
    "count-missing-vectors": {"task": "bank.count_missing_vectors", "schedule": 600.0},
    # if it is missing and no other job is pending
    "request-language-model": {"task": "bank.request_language_model", "schedule": 300.0},
    "retrain-models": {"task": "bank.retrain_models", "schedule": 300.0, "options": {"queue": "light"}},
    "send-mail": {"task": "bank.send_mail", "schedule": 60.0, "options": {"queue": "light"}},
    "deliver-hooks": {"task": "bank.deliver_hooks", "schedule": 10.0, "options": {"queue": "light"}},
    "delete-old-models": {"task": "bank.delete_old_models", "schedule": 86_400.0},
    "delete-old-data": {"task": "bank.delete_old_data", "schedule": 86_400.0},
    # on the training workers, which hold the checkpoints
    "clear-checkpoints": {"task": "bank.clear_checkpoints", "schedule": 86_400.0, "options": {"queue": "train"}},
}

# --- models and other stored files ----------------------------------------------------------------
STORAGES = {**env.storages(), "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}}
MODEL_CACHE_BYTES = int(1e9 * env.environment("MODEL_CACHE_GB"))  # for models from an object store
STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]

# --- people ---------------------------------------------------------------------------------------
AUTH_USER_MODEL = "questionbank.User"
AUTHENTICATION_BACKENDS = [
    "questionbank.people.permissions.RulesBackend",
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_FORMS = {
    "reset_password": "questionbank.people.views.ResetPasswordForm",
    "reauthenticate": "questionbank.people.sign_on_views.ConfirmForm",
}
ACCOUNT_ADAPTER = "questionbank.people.accounts.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_SESSION_REMEMBER = None
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # otherwise anybody could make us send mail to anybody
ACCOUNT_RATE_LIMITS = {
    "login": "300/m/ip",
    "login_failed": "",
}  # an address may be a whole school; `accounts` throttles
SIGN_ON = sign_on.configured(env.environment("SIGN_ON"))
if SIGN_ON.ldap:
    AUTHENTICATION_BACKENDS.append("questionbank.people.accounts.DirectoryBackend")
SOCIALACCOUNT_ADAPTER = "questionbank.people.providers.SocialAdapter"
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {"provider_class": "questionbank.people.providers.OpenIdProvider"},
    "saml": {"provider_class": "questionbank.people.providers.SamlProvider"},
}
# By a link: the content security policy lets no form of ours lead elsewhere, not even by a redirect.
SOCIALACCOUNT_LOGIN_ON_GET = True
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Kindred"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # an admin entered the address; there is no sign-up to abuse

# --- language, schools and time -------------------------------------------------------------------
LANGUAGE_CODE = "en"
SCHOOL_SYSTEM = env.school_system()
TIME_ZONE = env.time_zone()
USE_I18N = False
USE_TZ = True

# --- mail -----------------------------------------------------------------------------------------
vars().update(env.mail_server())
EMAIL_TIMEOUT = 10  # seconds; the server may accept a connection and never answer
DEFAULT_FROM_EMAIL = env.mail_sender(ALLOWED_HOSTS)

# --- security -------------------------------------------------------------------------------------
SECURE_SSL_REDIRECT = not DEMO
SECURE_REDIRECT_EXEMPT = [r"^health/$"]  # load balancers check it over plain HTTP
SECURE_HSTS_SECONDS = 0 if DEMO else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = not DEMO
SECURE_HSTS_PRELOAD = not DEMO
SESSION_COOKIE_SECURE = not DEMO
CSRF_COOKIE_SECURE = not DEMO
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "questionbank.core.views.form_expired"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
TRUSTED_PROXIES: int = max(0, env.environment("TRUSTED_PROXIES"))
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024  # forms; uploaded files are streamed to disk
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
IMPORT_UPLOAD_MAX_BYTES = 200 * 1024 * 1024
DOCUMENT_UPLOAD_MAX_BYTES = 50 * 1024 * 1024
REVIEW_UPLOAD_MAX_BYTES = 20 * 1024 * 1024  # parsed within the request
FILE_UPLOAD_HANDLERS = [
    "questionbank.core.forms.LimitedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# --- logging --------------------------------------------------------------------------------------
_renderer: structlog.typing.Processor = (
    structlog.dev.ConsoleRenderer(colors=False) if DEMO else structlog.processors.JSONRenderer()
)
_shared_processors: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
]
_chatty = "INFO" if env.environment("LOG_LEVEL") == "DEBUG" else "WARNING"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "structured": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                without_reset_keys,
                _renderer,
            ],
            "foreign_pre_chain": _shared_processors,
        }
    },
    "filters": {
        "without_refusals": {"()": "questionbank.core.logs.WithoutRefusals"},
        "without_outages": {"()": "questionbank.core.logs.WithoutOutages"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "structured",
            "filters": ["without_refusals", "without_outages"],
        }
    },
    "loggers": {
        # `worker.reporting` logs one line per job when it ends; these log six
        "celery": {"level": _chatty},
        "django_structlog.celery": {"level": _chatty},
        # warns of clock drift when a busy worker is late; message times are not used anywhere
        "celery.events.state": {"level": "ERROR"},
    },
    "root": {"handlers": ["console"], "level": env.environment("LOG_LEVEL")},
}
structlog.configure(
    processors=[
        *_shared_processors,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.StackInfoRenderer(),
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)

DJANGO_STRUCTLOG_CELERY_ENABLED = True  # a request's id is passed on to the jobs that it starts

TEACHERS_PUBLISH_IMPORTS: bool = env.environment("TEACHERS_PUBLISH_IMPORTS")
RESPONSES_KEPT_YEARS: int = max(0, env.environment("RESPONSES_KEPT_YEARS"))  # 0: for ever
HOOK_NETWORKS = env.hook_networks()
QUEUE_LIMIT: int = max(1, env.environment("QUEUE_LIMIT"))  # jobs waiting in one queue

# The review queue
REVIEW_OPINIONS_MOST = 9
REVIEW_OPINIONS: int = min(REVIEW_OPINIONS_MOST, max(1, env.environment("REVIEW_OPINIONS")))
REVIEW_RANDOM_SHARE: float = min(1.0, max(0.0, env.environment("REVIEW_RANDOM_SHARE")))
REVIEW_LEASE_SECONDS: int = max(10, env.environment("REVIEW_LEASE_SECONDS"))

# Files of labelled pairs to compare paraphrase scorers on, in addition to the bank's and the demo's
SCORER_SUITES: list[str] = env.environment("SCORER_SUITES")

# Models that write text (paraphrases, answers), if the installation has any
PARAPHRASE_MODEL: str = env.environment("PARAPHRASE_MODEL")
PARAPHRASE_PREFIX: str = env.environment("PARAPHRASE_PREFIX")
FONT_FOLDER: str = env.environment("FONT_FOLDER")
LANGUAGE_MODEL: str = env.environment("LANGUAGE_MODEL")
LANGUAGE_MODEL_URL: str = env.environment("LANGUAGE_MODEL_URL")
LANGUAGE_MODEL_NAME: str = env.environment("LANGUAGE_MODEL_NAME")
LANGUAGE_MODEL_KEY: str = env.environment("LANGUAGE_MODEL_KEY").strip()
LANGUAGE_MODEL_SECONDS: float = max(1.0, env.environment("LANGUAGE_MODEL_SECONDS"))
LANGUAGE_MODEL_PER_MINUTE: int = max(0, env.environment("LANGUAGE_MODEL_PER_MINUTE"))
LANGUAGE_MODEL_PRIVATE_ADDRESS: bool = env.environment("LANGUAGE_MODEL_PRIVATE_ADDRESS")
LANGUAGE_MODEL_WINDOW: int = max(2048, env.environment("LANGUAGE_MODEL_WINDOW"))
LANGUAGE_MODEL_TOKENS_PER_DAY: int = max(0, env.environment("LANGUAGE_MODEL_TOKENS_PER_DAY"))
LANGUAGE_MODEL_AT_ONCE: int = max(1, env.environment("LANGUAGE_MODEL_AT_ONCE"))
LANGUAGE_MODEL_EXAM: str = env.environment("LANGUAGE_MODEL_EXAM")
