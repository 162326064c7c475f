#!/bin/sh
# Once, on an empty volume, after initdb.sh: what a streaming replica needs of its primary (compose.scale.yaml).
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres --dbname=postgres --set=password="$REPLICATION_PASSWORD" <<'SQL'
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
ALTER SYSTEM SET wal_keep_size = '1GB';
SQL
echo "host replication replicator all scram-sha-256" >> "$PGDATA/pg_hba.conf"
