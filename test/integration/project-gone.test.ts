import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { serveSandbox } from '#flows/local-platform/serve-sandbox';
import { startDevSession } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';

/** All at once: a session that still serves may write into a folder whose files are removed one after the other. */
function moveStateOf(root: string): Promise<void> {
  return rename(path.join(root, '.vendor-cloud'), `${root}-state`);
}

it('dev ends once its project is renamed, also where something of its own is in the old place since', {
  tags: 'long',
}, async () => {
  const session = await startDevSession();
  await rename(session.root, `${session.root}-renamed`);
  await mkdir(path.join(session.root, '.vendor-cloud'), { recursive: true });
  await expect(session.next('stopped')).rejects.toMatchObject({
    code: 'PROJECT_GONE',
    message: expect.stringContaining(session.root),
    nextSteps: [expect.stringContaining('where the project is now')],
  });
});

it('dev ends once the store of its platform is removed, and the next one makes another', { tags: 'long' }, async () => {
  const session = await startDevSession();
  await moveStateOf(session.root);
  await expect(session.next('stopped')).rejects.toMatchObject({
    code: 'PROJECT_GONE',
    message: expect.stringContaining('platform.sqlite'),
  });
  const again = await startDevSession(session.root);
  await again.stop();
});

it('the local platform alone ends as well', async () => {
  const folder = await createShopProject();
  let moved = Promise.resolve();
  const served = serveSandbox(flowContext(folder), {
    folder,
    port: { port: 0, isExact: false },
    developer: { name: 'Test Developer', email: 'developer@test.local' },
    signal: new AbortController().signal,
    tell({ event }) {
      if (event === 'ready') moved = moveStateOf(folder);
    },
  });
  await expect(served).rejects.toMatchObject({ code: 'PROJECT_GONE' });
  await moved;
});
