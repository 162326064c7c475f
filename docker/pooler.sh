#!/bin/sh
# PgBouncer in transaction mode before `database` (compose.scale.yaml).
set -eu
umask 077
cat > /tmp/users.txt <<END
"kindred" "$DATABASE_PASSWORD"
END
cat > /tmp/pgbouncer.ini <<'END'
[databases]
kindred = host=database port=5432 dbname=kindred
[pgbouncer]
listen_addr = *
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = /tmp/users.txt
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
END
exec pgbouncer /tmp/pgbouncer.ini
