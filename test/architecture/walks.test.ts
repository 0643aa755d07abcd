import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

interface Budget {
  /** The most files that a walk may pass. */
  readonly most: number;
  /** A file that every such walk passes, which shows that the trace has seen it. */
  readonly passes: string;
}

const request = 'src/runtime/surfaces/rest/handle-request.ts';

const requests: Readonly<Record<string, Budget>> = {
  list: { most: 33, passes: request },
  get: { most: 36, passes: request },
  // The report of a write is on the disk before its answer: six of these files write it.
  'action-without-form': { most: 44, passes: request },
  action: { most: 45, passes: request },
};

const work: Readonly<Record<string, Budget>> = {
  save: { most: 22, passes: 'src/flows/dev/dev-loop.ts' },
  'save-in-worker': { most: 112, passes: 'src/runtime/compile/compile-model.ts' },
  push: { most: 70, passes: 'src/flows/push/push-version.ts' },
};

/** The files of the product that each walk passes, once everything that it keeps is there. */
async function filesOfWalks(...names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const script = ['--conditions=vendor-source', 'scripts/trace-walk.ts', ...names];
  const { stdout } = await run(process.execPath, script);
  const walks = stdout.split('\n\n').filter((text) => text.trim() !== '');
  return new Map(
    walks.map((text) => [
      /^\n*(\S+):$/m.exec(text)?.[1] ?? '',
      [...text.matchAll(/^ *\d+ {2}(src\/\S+)$/gm)].map(([, file]) => file ?? ''),
    ]),
  );
}

function expectWithin(budgets: Readonly<Record<string, Budget>>, walks: ReadonlyMap<string, readonly string[]>): void {
  expect([...walks.keys()].sort()).toEqual(Object.keys(budgets).sort());
  for (const [walk, { most, passes }] of Object.entries(budgets)) {
    const files = walks.get(walk) ?? [];
    expect(files, walk).toContain(passes);
    expect(files.length, `${walk}\n${files.join('\n')}`).toBeLessThanOrEqual(most);
  }
}

describe('the walk through the files', () => {
  it('passes few files for a request to a warm agent', async () => {
    expectWithin(requests, await filesOfWalks(...Object.keys(requests)));
  });

  it('passes no more files than today for a push, and for a save in dev until the new code serves', {
    tags: 'long',
  }, async () => {
    expectWithin(work, await filesOfWalks('save', 'push'));
  });
});
