#!/usr/bin/env bash
# Remembers, searches, revises, and reads what was true before, with curl and nothing else.
set -euo pipefail
url=${DAYBOOK_URL:-http://127.0.0.1:4000}

# Sends a document of GraphQL and its variables.
ask() {
  curl --silent --show-error --fail-with-body "$url/graphql" \
    -H "authorization: Bearer $DAYBOOK_API_KEY" -H 'content-type: application/json' \
    -d "{\"query\": \"${1//$'\n'/ }\", \"variables\": $2}"
  echo
}
# The first string or number of a name in an answer.
field() { sed -E "s/.*\"$1\":\"?([^\",}]+).*/\1/"; }

# Each change is answered with its receipt: the event's number in the journal. The key makes it safe to send again.
remembered=$(ask 'mutation ($input: RememberInput!) { remember(input: $input) {
    ... on Remembered { sequence memory { id } } ... on DaybookError { code message } } }' \
  '{"input": {"content": {"insight": {"key": "deploys", "content": "We deploy on Mondays"}}, "idempotencyKey": "curl-1"}}')
echo "$remembered"
id=$(field id <<<"$remembered")

# With the receipt a search waits until it includes that event.
ask 'query ($query: String!, $atLeast: Int) { search(query: $query, atLeast: $atLeast) { hits { score memory { title text } } degraded } }' \
  "{\"query\": \"when is the release?\", \"atLeast\": $(field sequence <<<"$remembered")}"

# Nothing is overwritten: each version stays.
ask 'mutation ($id: ID!, $input: ReviseInput!) { revise(id: $id, input: $input) {
    ... on Revised { memory { version text } } ... on DaybookError { code message } } }' \
  "{\"id\": \"$id\", \"input\": {\"content\": {\"insight\": {\"content\": \"We deploy on Tuesdays\"}}}}"
ask 'query ($id: ID!) { memory(id: $id) { text history { edges { node { version memory { text } } } } } }' "{\"id\": \"$id\"}"
