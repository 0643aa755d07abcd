#!/usr/bin/env bash
# Node.js 24 on Linux: `nohup` does not protect a program of Node.js, and the program cannot tell that it was asked to.
#
# Guess: a signal that is ignored stays ignored in the program that takes the place of this one. `nohup` rests on that. So a server
# that listens to no signal outlives its terminal, and one that listens sees in its own state that the hang-up was ignored.
# Seen: Node.js puts every signal back to its default before it runs any code. Under `nohup` a shell says in /proc that signal 1 is
# ignored, and Node.js says that it is not. A hang-up ends the program. Whoever wants to keep it must look at the parent, or at `_`.
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo 'skipped: it reads /proc'; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.9.0
node="$folder/node_modules/node/bin/node"
"$node" --version

cat > ignored.mjs <<'JS'
import { readFileSync } from 'node:fs';
const [, mask] = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
console.log(Number.parseInt(mask.at(-1), 16) & 1 ? 'ignored' : 'not ignored');
JS
cat > ignored.sh <<'SH'
while read -r name mask; do
  [ "$name" = SigIgn: ] || continue
  if (( 0x$mask & 1 )); then echo ignored; else echo 'not ignored'; fi
done < "/proc/$$/status"
SH
of_shell=$(nohup bash ignored.sh 2> /dev/null < /dev/null)
of_node=$(nohup "$node" ignored.mjs 2> /dev/null < /dev/null)
echo "the hang-up under nohup: $of_shell for bash, $of_node for Node.js"

# How a program ends that listens to nothing, once it runs: 129 is the hang-up, 0 is its own end two seconds later.
end_of() {
  nohup "$@" > started 2> /dev/null < /dev/null &
  local id=$!
  until [ -s started ]; do sleep 0.05; done
  kill -HUP "$id"
  local code=0
  wait "$id" || code=$?
  rm -f started
  echo "$code"
}
shell_ends=$(end_of bash -c 'echo started; for _ in 1 2 3 4; do read -t 0.5 -r _ <> <(:) || true; done')
node_ends=$(end_of "$node" -e 'console.log("started"); setTimeout(() => {}, 2000)')
echo "after a hang-up: bash ends with $shell_ends, Node.js with $node_ends"
if [ "$of_shell $of_node $shell_ends $node_ends" = 'ignored not ignored 0 129' ]; then echo 'as seen'; else echo 'CHANGED'; exit 1; fi
