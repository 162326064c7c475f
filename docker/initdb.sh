#!/bin/sh
# Once, on an empty volume, by PostgreSQL's own entrypoint: as in the embedded server, the bank's role owns its
# database and may create others (a restore does), but is no superuser: an SQL injection must not run programs.
# pgvector is not a trusted extension, so it comes with template1, from which a restore makes its database.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres --dbname=template1 --set=password="$DATABASE_PASSWORD" <<'SQL'
CREATE EXTENSION vector;
CREATE ROLE kindred LOGIN CREATEDB PASSWORD :'password';
CREATE DATABASE kindred OWNER kindred;
SQL
