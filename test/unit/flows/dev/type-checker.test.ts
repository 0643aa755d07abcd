import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TypeChecker } from '#flows/dev/type-checker';
import { openProject } from '#project/index';
import { flowContext } from '../../../helpers/flow-context.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

/** A project with a compiler that tells when it runs; it runs until the check ends, or prints an error at once. */
async function startChecker(answer: 'never ends' | 'finds an error') {
  const root = await temporaryFolder();
  await writeFiles(root, {
    'vendor-cloud.json': '{ "name": "notebook", "dataSources": {} }',
    'src/index.ts': '',
    'tsconfig.json': '{}',
    'node_modules/typescript/bin/tsc': '',
  });
  const context = flowContext(root);
  const started = Promise.withResolvers<void>();
  const runs: { readonly signal: AbortSignal; readonly isBackground?: boolean | undefined }[] = [];
  const runScript: typeof context.programs.runScript = async (run) => {
    runs.push(run);
    started.resolve();
    if (answer === 'finds an error') return { exitCode: 1, stdout: 'src/index.ts(1,1): error TS1: wrong' };
    await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
    return undefined;
  };
  const told = Promise.withResolvers<readonly unknown[]>();
  const checker = new TypeChecker(
    { ...context, programs: { ...context.programs, runScript } },
    await openProject(context.fs, root, {}),
    { onErrors: told.resolve, onFailure: told.reject },
  );
  onTestFinished(() => checker.stop());
  return { checker, runs, started: started.promise, told: told.promise };
}

describe('a check of types beside saves', () => {
  it('starts the compiler once for saves that follow one another', async () => {
    const { checker, runs, told } = await startChecker('finds an error');
    for (let save = 0; save < 20; save++) {
      checker.cancel();
      checker.check();
      await delay(5);
    }
    expect(await told).toMatchObject([{ code: 'TS1' }]);
    expect(runs).toHaveLength(1);
  });

  it('leaves the processor to others, and ends when a file changes', async () => {
    const { checker, runs, started } = await startChecker('never ends');
    checker.check();
    await started;
    expect(runs).toMatchObject([{ isBackground: true }]);
    checker.cancel();
    expect(runs[0]?.signal.aborted).toBe(true);
  });

  it('starts no compiler after the end of the session', async () => {
    const { checker, runs } = await startChecker('never ends');
    checker.check();
    await checker.stop();
    expect(runs).toEqual([]);
  });
});
