#!/bin/sh
# A streaming replica of `database`: copied on the first start, then kept up to date by itself (compose.scale.yaml).
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    rm -rf "$PGDATA.new"
    pg_basebackup --pgdata="$PGDATA.new" --checkpoint=fast --write-recovery-conf \
        --dbname="host=database user=replicator password=$PGPASSWORD"
    mkdir -p "$(dirname "$PGDATA")"
    rm -rf "$PGDATA"
    mv "$PGDATA.new" "$PGDATA"
fi
exec postgres --listen_addresses='*' --hot_standby_feedback=on --max_connections=100 --shared_buffers=1GB
