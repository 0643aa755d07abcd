#!/bin/sh
# What a CI job does with a project; docs/ci.md tells how to call it.
#
#   ci.sh check   for a pull request: check, and show the plan
#   ci.sh push    for the main branch: check, and push
#
# The platform, the environment and the token come from SERVICE_SERVER_URL, SERVICE_ENV and SERVICE_AUTH_TOKEN only.
set -eu

here=$(dirname "$0")
plan=${PLAN_FILE:-.vendor-cloud/plan.txt}
PATH="$PWD/node_modules/.bin:$PATH"

show_plan() {
  if [ -z "${SERVICE_AUTH_TOKEN:-}" ]; then
    echo "There is no SERVICE_AUTH_TOKEN, as in pull requests of forks: no plan is made." >&2
    return
  fi
  mkdir -p "$(dirname "$plan")"
  vendor-cloud plan --no-color >"$plan"
  cat "$plan"
  if [ -n "${GITHUB_TOKEN:-}" ] && [ -n "${PULL_REQUEST:-}" ]; then
    node "$here/comment-plan.js" "$plan"
  fi
}

case ${1:-} in
check)
  vendor-cloud check
  show_plan
  ;;
push)
  vendor-cloud check
  vendor-cloud push --message "$(git log -1 --format=%s 2>/dev/null | cut -c 1-200)"
  ;;
*)
  echo "Call it as: ci.sh check, or ci.sh push" >&2
  exit 2
  ;;
esac
