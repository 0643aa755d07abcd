#!/usr/bin/env bash
# Node.js 24.9: a resolve hook that names another parent moves `import()` there, and `require` not.
#
# Guess: `module.registerHooks({ resolve })` serves `import` and `require` alike, so `nextResolve(specifier, { ...context, parentURL })`
# resolves from the given parent whoever asks.
# Seen (24.9.0): with `import()` the package is found from the new parent. With `require` the default step resolves from the module that
# asks, whatever `parentURL` says, and ends with MODULE_NOT_FOUND. What works for both is to resolve in the hook, by
# `createRequire(parent).resolve(specifier)`, and to answer with `{ url, shortCircuit: true }`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir here elsewhere
(cd here && npm init -y > /dev/null && npm install --silent --no-audit --no-fund node@24.9.0 ms@2.1.3)
export PATH="$folder/here/node_modules/node/bin:$PATH"
cat > elsewhere/code.cjs <<'JS'
const outcome = (work) => work().then(() => 'found', (error) => error.code);
exports.run = async () => [await outcome(async () => require('ms')), await outcome(() => import('ms'))];
JS
cat > here/run.cjs <<'JS'
const { createRequire, registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');
const here = pathToFileURL(__filename).href;
const own = createRequire(here);
const fromElsewhere = ({ parentURL }) => parentURL?.includes('/elsewhere/');
(async () => {
  const { run } = require('../elsewhere/code.cjs');
  console.log(process.version);
  const seen = {};
  seen['no hook: require, import()'] = await run();
  const moved = registerHooks({
    resolve: (name, context, next) =>
      name === 'ms' && fromElsewhere(context) ? next(name, { ...context, parentURL: here }) : next(name, context),
  });
  seen['another parentURL: require, import()'] = await run();
  moved.deregister();
  registerHooks({
    resolve: (name, context, next) =>
      name === 'ms' && fromElsewhere(context) ? { url: pathToFileURL(own.resolve(name)).href, shortCircuit: true } : next(name, context),
  });
  seen['resolved in the hook: require, import()'] = await run();
  console.log(seen);
  const expected = [['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'], ['MODULE_NOT_FOUND', 'found'], ['found', 'found']];
  const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify(expected);
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
})();
JS
timeout 60 node here/run.cjs
