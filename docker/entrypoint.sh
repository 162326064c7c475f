#!/bin/sh
# What a container does: `prepare` once, then one process a container, the same ones that `make run` starts.
#
#   entrypoint.sh prepare                               migrate, collect static files, install the default models
#   entrypoint.sh web|worker-default|worker-light|worker-train|beat  become that process
#   entrypoint.sh COMMAND ...                           any command of manage.py, e.g. createsuperuser, backup FILE
#
# Needs DATABASE_URL and REDIS_URL, and no Docker: tests/docker runs it on embedded servers.
set -eu

cd "$(dirname "$0")/.."
role="${1:?usage: entrypoint.sh prepare|web|worker-default|worker-light|worker-train|beat|COMMAND ...}"

case "$role" in
    prepare)
        python docker/probe.py wait
        exec python manage.py prepare
        ;;
    web | worker-default | worker-light | worker-train | beat)
        python docker/probe.py wait
        exec python manage.py serve --only "$role" --host 0.0.0.0
        ;;
    *)
        exec python manage.py "$@"
        ;;
esac
