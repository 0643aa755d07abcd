/**
 * Write `dist/`: the code in few files, because Node.js spends more time on finding and opening a file than on its code, and
 * the declarations of the types.
 */
import { globSync, rmSync } from 'node:fs';
import path from 'node:path';
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
  conditions: ['vendor-source'],
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'warning',
});
await execa('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, preferLocal: true, stdio: 'inherit' });
