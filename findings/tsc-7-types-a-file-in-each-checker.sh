#!/usr/bin/env bash
# TypeScript 7: `tsc` checks with four checkers on any machine, and each of them works out again what the others know.
#
# Guess: the compiler takes as many threads as the machine has processors, and threads share the types that they make. So the number of
# checkers changes the time, not the work. A machine with one processor has one.
# Seen (7.0.2): every checker has types of its own. A type that 40 files use is made once by one checker and four times by four. The default
# is four, also where the process has one processor. There `--checkers 1` does the same check with a fraction of the work.
# A project of 2,900 files took 49 s of processor time by default, and 35 s with one or two checkers.
set -euo pipefail
[ "$(uname -s)" = Linux ] || { echo 'skipped: it limits the processors with taskset'; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.9.0 typescript@7.0.2
export PATH="$folder/node_modules/node/bin:$folder/node_modules/.bin:$PATH"
tsc --version
mkdir src
echo 'export type Zeros<Length extends number, Made extends 0[] = []> = Made["length"] extends Length ? Made : Zeros<Length, [...Made, 0]>;' > src/zeros.ts
for file in $(seq 40); do
  printf 'import type { Zeros } from "./zeros.js";\nexport const length%s: Zeros<900>["length"] = 900;\n' "$file" > "src/use$file.ts"
done
echo '{ "compilerOptions": { "strict": true, "module": "nodenext", "noEmit": true, "types": [] }, "include": ["src"] }' > tsconfig.json
instantiations() { taskset -c 0 tsc --extendedDiagnostics "$@" | sed -n 's/^Instantiations: *//p'; }
one=$(instantiations --checkers 1) two=$(instantiations --checkers 2) four=$(instantiations --checkers 4) default=$(instantiations)
echo "instantiations on one processor with 1, 2 and 4 checkers: $one, $two, $four; by default: $default"
if [ $((two * 10)) -gt $((one * 19)) ] && [ $((four * 10)) -gt $((one * 37)) ] && [ "$default" = "$four" ]; then echo 'as seen'; else echo 'CHANGED'; exit 1; fi
