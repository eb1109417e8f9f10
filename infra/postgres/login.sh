#!/usr/bin/env bash
#
# Makes the role that the services log in as, on a new database: it owns nothing, and Daybook lets it in (docs/security.md). The
# image of Postgres runs this once. On a database of before, let its owner run the statement below.

psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
\getenv password POSTGRES_LOGIN_PASSWORD
create role daybook_login login password :'password';
SQL
