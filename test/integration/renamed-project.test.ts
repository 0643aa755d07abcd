import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { serveSandbox } from '#flows/local-platform/serve-sandbox';
import { createPlatformClient } from '#platform-client/platform-client';
import { flowContext } from '../helpers/flow-context.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

/** Serve the local platform of a project while `work` runs. */
async function whileServed<Result>(
  root: string,
  work: (client: ReturnType<typeof createPlatformClient>) => Promise<Result>,
): Promise<Result> {
  const context = flowContext(root);
  const ready = Promise.withResolvers<{ url: string; userToken: string }>();
  const quit = new AbortController();
  const serving = serveSandbox(context, {
    folder: root,
    port: { port: 0, isExact: false },
    developer: { name: 'Ada Lovelace', email: 'ada@example.test' },
    signal: quit.signal,
    tell: (event) => {
      if (event.event === 'ready') ready.resolve({ url: event.sandbox.url, userToken: event.token });
    },
  });
  try {
    const { url, userToken } = await Promise.race([
      ready.promise,
      serving.then(() => Promise.reject(new Error('It ended.'))),
    ]);
    return await work(createPlatformClient({ serverUrl: url, http: context.http, credentials: { userToken } }));
  } finally {
    quit.abort();
    await serving;
  }
}

it('a project without a secret of its own is the same one after a restart under another name', async () => {
  const root = await temporaryFolder();
  const config = (name: string) => JSON.stringify({ name, dataSources: {} });
  await writeFiles(root, { 'vendor-cloud.json': config('shop'), 'src/index.ts': 'export default () => undefined;' });
  const before = await whileServed(root, (client) => client.me());
  await writeFile(path.join(root, 'vendor-cloud.json'), config('boutique'));
  const after = await whileServed(root, (client) => client.me());
  expect(after).toEqual({ ...before, project: 'boutique' });
  expect(await readFile(path.join(root, '.vendor-cloud/environment.secret'), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
});
