#!/usr/bin/env bash
# esbuild 0.28: with splitting, `import()` of a bundled CommonJS package gives only `default`.
#
# Guess: `const { parse } = await import('package')` works after bundling as it does in Node.js, which finds the names that a package of
# CommonJS exports; without splitting it does.
# Seen (0.28.2): with `splitting: true` and `format: 'esm'` the package becomes a chunk with `export default`, and `parse` is undefined,
# without a warning. A static `import { parse }` of the same package works. A module that re-exports the names one by one works too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.9.0 esbuild@0.28.2 cookie@0.7.2
export PATH="$folder/node_modules/node/bin:$PATH"
cat > dynamic.mjs <<'JS'
const { parse } = await import('cookie');
console.log(typeof parse);
JS
cat > named.mjs <<'JS'
const { parse } = await import('./names.mjs');
console.log(typeof parse);
JS
echo "export { parse } from 'cookie';" > names.mjs
cat > build.mjs <<'JS'
import { build } from 'esbuild';
for (const splitting of [false, true]) {
  const outdir = splitting ? 'split' : 'whole';
  await build({ entryPoints: ['dynamic.mjs', 'named.mjs'], outdir, outExtension: { '.js': '.mjs' }, bundle: true, splitting, format: 'esm', platform: 'node', logLevel: 'warning' });
}
JS
node build.mjs
seen="$(node dynamic.mjs) $(node whole/dynamic.mjs) $(node split/dynamic.mjs) $(node split/named.mjs)"
echo "Node.js, bundled, split, split with names: $seen"
if [ "$seen" = 'function function undefined function' ]; then echo 'as seen'; else echo 'CHANGED'; exit 1; fi
