#!/bin/sh
# Creates the gateway's role and its database. The postgres image runs this once, as the superuser, when the volume is empty.
# The role owns its database and nothing else: it is no superuser and may create neither roles nor databases.
set -eu
: "${GATEWAY_DB_PASSWORD:?the password of the role gateway}"

psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv password GATEWAY_DB_PASSWORD
create role gateway login nosuperuser nocreaterole nocreatedb noreplication nobypassrls password :'password';
create database gateway owner gateway;
revoke all on database gateway from public;
SQL
