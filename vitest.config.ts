import { existsSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

// A name of our own: packages that publish their sources under "source" must stay compiled.
const source = { resolve: { conditions: ['vendor-source'] }, ssr: { resolve: { conditions: ['vendor-source'] } } };

/** Modules that the processes of the tests have compiled. It begins empty, because it also holds those of projects that are gone. */
const compileCache = path.resolve('.tmp/compile-cache');
rmSync(compileCache, { recursive: true, force: true });

/** What the processes of the tests begin with, and all that these start. */
const env = { NODE_COMPILE_CACHE: compileCache, TMPDIR: temporaryFolders() };

/** Tests write many databases. Memory is faster than a disk, where there is enough of it. */
function temporaryFolders(): string {
  const inMemory = '/dev/shm';
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize > 4 * 1024 ** 3 ? inMemory : tmpdir();
}

/** One project per rung of the test pyramid; `npm test` runs them all, `npx vitest --project unit` one of them. */
export default defineConfig({
  ...source,
  test: {
    tags: [
      {
        name: 'long',
        description: 'Walks, and what takes seconds beside the main path of its topic. `npm run test:long` takes them.',
      },
    ],
    // Some tests wait for timers and servers: one worker more than cores keeps the cores busy. More of them make each test slower.
    maxWorkers: availableParallelism() + 1,
    projects: ['unit', 'architecture', 'types', 'contract', 'integration', 'e2e', 'packaging'].map((name) => ({
      ...source,
      test: {
        name,
        env,
        // Files share only modules. To load the agent for each of them costs a third of the processor time of the tests in a browser.
        isolate: !['unit', 'contract', 'integration', 'e2e'].includes(name),
        include: [`test/${name}/**/*.test.ts`],
        globalSetup: [
          'test/helpers/pattern-folder.ts',
          ...(['unit', 'architecture', 'types'].includes(name) ? [] : ['test/helpers/current-build.ts']),
          ...(name === 'e2e' || name === 'packaging' ? ['test/helpers/installed-package.ts'] : []),
        ],
        setupFiles: ['unit', 'contract', 'integration'].includes(name) ? ['test/helpers/drawn-examples.ts'] : [],
        execArgv: ['--conditions=vendor-source', '--expose-gc'],
        // A test that hangs only has to end some day. A machine that is busy with other programs is ten times as slow.
        testTimeout: name === 'unit' ? 120_000 : 15 * 60_000,
        hookTimeout: 15 * 60_000,
        expect: { poll: { timeout: 60_000 } },
      },
    })),
  },
});
