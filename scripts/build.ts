/** Write `dist/`: the code of this package and of those that it is made with, and the declarations of what it exports. */
import { globSync, rmSync } from 'node:fs';
import path from 'node:path';
import { bundleCode } from './build/bundle-code.ts';
import { bundleConsole } from './build/bundle-console.ts';
import { bundleTypes } from './build/bundle-types.ts';
import { writePackageList } from './build/package-list.ts';

const root = path.resolve(import.meta.dirname, '..');
/** Modules that are started by their own address: threads, a process beside the command, and what `bin/` imports. */
const started = [
  'src/cli/main.ts',
  'src/cli/own-modules.ts',
  'src/cli/agent-worker.ts',
  'src/cli/check-for-update.ts',
  'src/cli/keychain-process.ts',
  'src/runtime/data-sources/sqlite/scan-worker.ts',
  'src/platform/audit/stretch-worker.ts',
  'src/platform/archive/month-worker.ts',
];

// Vite takes the variable from whoever runs it: tests would get the slow and large React of development.
process.env['NODE_ENV'] = 'production';
rmSync(path.join(root, 'dist'), { recursive: true, force: true });
const [codeFiles, typeFiles, consoleFiles] = await Promise.all([
  bundleCode(root, [...started, ...globSync('src/{commands,exports}/**/*.ts', { cwd: root })]),
  bundleTypes(root),
  bundleConsole(root),
]);
writePackageList(root, [...codeFiles, ...typeFiles, ...consoleFiles]);
