/**
 * Write `dist/`: the code in few files, because Node.js spends more time on finding and opening a file than on its code, and
 * the declarations of the types.
 */
import { copyFileSync, globSync, rmSync } from 'node:fs';
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
 * Zod goes into the code: commands need a part of it, and would open a hundred of its files. Its licence goes along. Other
 * packages stay outside.
 */
const inside = ['zod', 'zod/v4/core'];

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
  alias: Object.fromEntries(inside.map((name) => [name, fileURLToPath(import.meta.resolve(name))])),
  conditions: ['vendor-source'],
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'warning',
});
copyFileSync(path.join(root, 'node_modules/zod/LICENSE'), path.join(root, 'dist/zod.LICENSE'));
await execa('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, preferLocal: true, stdio: 'inherit' });
