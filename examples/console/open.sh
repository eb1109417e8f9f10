#!/usr/bin/env bash
# Prints a link that logs a browser in to the web console, without showing the key; and where a search is found there.
# `daybook console` does the first by itself, and opens it.
set -euo pipefail
url=${DAYBOOK_URL:-http://127.0.0.1:4000}

answer=$(curl --silent --show-error --fail-with-body "$url/graphql" \
  -H "authorization: Bearer $DAYBOOK_API_KEY" -H 'content-type: application/json' \
  -d '{"query": "mutation { createLoginLink { path expiresAt } }"}')
path=$(sed -E 's/.*"path":"([^"]+)".*/\1/' <<<"$answer")
echo "Open this once, within 5 minutes: $url$path"
echo "Then search by meaning, or look: $url/?q=$(sed 's/ /+/g' <<<"${1:-token security}")"
