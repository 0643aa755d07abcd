#!/usr/bin/env bash
# TypeScript 7: `tsc` does not end when it is asked to (SIGTERM). It goes on to the end of its work, and says that all is well.
#
# Guess: a compiler that gets SIGTERM is gone within milliseconds, as `tsc` of TypeScript 5 is, and its exit code or signal tells so.
# Seen (7.0.2): it works on for seconds, writes its `.tsbuildinfo`, and ends with exit code 0. Whoever starts a check for each save and
# ends the one before has several compilers at work. SIGKILL ends it at once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.9.0 typescript-5@npm:typescript@5.9.3 typescript-7@npm:typescript@7.0.2
export PATH="$folder/node_modules/node/bin:$PATH"
mkdir src
cat > sources.cjs <<'JS'
const { writeFileSync } = require('node:fs');
const fields = Array.from({ length: 200 }, (_, field) => `a${field}: { x: number; y: string }`).join('; ');
for (let file = 0; file < 800; file++) {
  const code = `export type T${file} = { ${fields} };\nexport const v${file} = (t: T${file}) => Object.values(t).map((z) => z.x);\n`;
  writeFileSync(`src/f${file}.ts`, code);
}
JS
node sources.cjs
echo '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src"] }' > tsconfig.json
cat > ask.cjs <<'JS'
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const [version, signal] = process.argv.slice(2);
const memory = `${version}-${signal}.tsbuildinfo`;
const compiler = `node_modules/typescript-${version}/bin/tsc`;
const child = spawn(process.execPath, [compiler, '--noEmit', '--incremental', '--tsBuildInfoFile', memory], { stdio: 'ignore' });
setTimeout(() => child.kill(signal), 400);
child.once('exit', (code, ended) => console.log(`${ended ?? code} ${existsSync(memory) ? 'written' : 'nothing'}`));
JS
seen="$(node ask.cjs 5 SIGTERM), $(node ask.cjs 7 SIGTERM), $(node ask.cjs 7 SIGKILL)"
echo "TypeScript 5 and 7 asked to end, 7 killed: $seen"
if [ "$seen" = 'SIGTERM nothing, 0 written, SIGKILL nothing' ]; then echo 'as seen'; else echo 'CHANGED'; exit 1; fi
