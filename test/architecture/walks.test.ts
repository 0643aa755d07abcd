import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

const most = { list: 30, get: 35, 'action-without-form': 34, action: 34 };

/** The files of the product that each walk of a request through a warm agent passes. */
async function filesOfWalks(): Promise<ReadonlyMap<string, readonly string[]>> {
  const script = ['--conditions=vendor-source', 'scripts/trace-walk.ts', ...Object.keys(most)];
  const { stdout } = await run(process.execPath, script);
  const walks = stdout.split('\n\n').filter((text) => text.trim() !== '');
  return new Map(
    walks.map((text) => [
      /^\n*(\S+):$/m.exec(text)?.[1] ?? '',
      [...text.matchAll(/^ *\d+ {2}(src\/\S+)$/gm)].map(([, file]) => file ?? ''),
    ]),
  );
}

describe('the walk of a request through the files', () => {
  it('passes few files, and begins where requests are handled', async () => {
    const walks = await filesOfWalks();
    expect([...walks.keys()].sort()).toEqual(Object.keys(most).sort());
    for (const [walk, limit] of Object.entries(most)) {
      const files = walks.get(walk) ?? [];
      expect(files, walk).toContain('src/runtime/surfaces/rest/handle-request.ts');
      expect(files.length, `${walk}\n${files.join('\n')}`).toBeLessThanOrEqual(limit);
    }
  });
});
