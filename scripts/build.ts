/**
 * Write `dist/`: the code in few files, because Node.js spends more time on finding and opening a file than on its code, and
 * the declarations of the types.
 */
import { cpSync, globSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';

const root = path.resolve(import.meta.dirname, '..');
/** Modules that are started by their own address: threads, a process beside the command, and what `bin/` imports. */
const started = [
  'src/cli/main.ts',
  'src/cli/agent-worker.ts',
  'src/cli/ask-for-update.ts',
  'src/runtime/data-sources/sqlite/scan-worker.ts',
];

/**
 * Packages that go into the code, with their licences: it needs a part of each, and Node.js would open a hundred files of zod and
 * 250 of Kysely. Other packages stay outside.
 */
const inside = ['zod', 'kysely'];
const specifiers = [...inside, 'zod/v4/core'];

rmSync(path.join(root, 'dist'), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [...started, ...globSync('src/{commands,exports}/**/*.ts', { cwd: root })],
  outbase: 'src',
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  alias: Object.fromEntries(specifiers.map((name) => [name, fileURLToPath(import.meta.resolve(name))])),
  conditions: ['vendor-source'],
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'warning',
});
for (const name of inside) {
  cpSync(path.join(root, 'node_modules', name, 'LICENSE'), path.join(root, 'dist/licenses', `${name}.txt`));
}
await execa('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, preferLocal: true, stdio: 'inherit' });
