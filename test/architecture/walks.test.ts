import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** The files of the product that a request of a warm agent passes. */
async function filesOf(walk: string): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, ['--conditions=vendor-source', 'scripts/trace-walk.ts', walk]);
  return stdout.split('\n').flatMap((line) => /^ *\d+ {2}(src\/\S+)$/.exec(line)?.[1] ?? []);
}

describe('the walk of a request through the files', () => {
  it.for([
    ['list', 35],
    ['get', 40],
    ['action-without-form', 40],
    ['action', 48],
  ] as const)('%s passes few files, and begins where requests are handled', async ([walk, most]) => {
    const files = await filesOf(walk);
    expect(files).toContain('src/runtime/surfaces/rest/handle-request.ts');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
  });
});
