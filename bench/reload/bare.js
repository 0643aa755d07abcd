// The least that a reload can be: chokidar sees the save, esbuild builds, the bundle is evaluated, and node:http has the new value.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import { watch } from 'chokidar';
import * as esbuild from 'esbuild';

const [entry = ''] = process.argv.slice(2);
const require = createRequire(entry);
const bundler = await esbuild.context({
  absWorkingDir: path.dirname(entry),
  entryPoints: [entry],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['@vendor/cloud', '@vendor/cloud/*'],
  outfile: path.join(path.dirname(entry), 'customization.cjs'),
  sourcemap: 'inline',
  sourcesContent: false,
  write: false,
  logLevel: 'silent',
});
let served = { revision: '', builtMs: 0 };

async function reload() {
  const begin = performance.now();
  const { outputFiles } = await bundler.rebuild();
  const module = { exports: {} };
  compileFunction(outputFiles[0].text, ['module', 'exports', 'require'])(module, module.exports, require);
  // An editor empties a file before it writes it: the next change brings the rest.
  if (module.exports.served !== undefined)
    served = { revision: module.exports.served, builtMs: performance.now() - begin };
}

await reload();
watch(entry, { ignoreInitial: true }).on('change', () => void reload());
const server = createServer((_request, response) => response.end(JSON.stringify(served)));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
process.stdin.on('end', () => process.exit()).resume();
