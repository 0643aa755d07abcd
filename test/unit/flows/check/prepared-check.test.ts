import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PreparedCheck } from '#flows/check/prepared-check';
import { openProject } from '#project/index';
import { flowContext } from '../../../helpers/flow-context.ts';
import { createShopProject } from '../../../helpers/shop-project.ts';

const workerCode = 'setInterval(() => undefined, 1_000);';

async function prepare(root: string): Promise<PreparedCheck> {
  const agentWorkerUrl = new URL(`data:text/javascript,${encodeURIComponent(workerCode)}`);
  const context = { ...flowContext(root), agentWorkerUrl };
  return new PreparedCheck(context, await openProject(context.fs, root, {}), undefined);
}

describe('a check that gets ready while code is built', () => {
  it('starts one worker, and ends it where no check takes it', { tags: 'long' }, async () => {
    const check = await prepare(await createShopProject());
    check.begin();
    const worker = await check.worker();
    expect(worker.isWaiting).toBe(true);
    expect(await check.worker()).toBe(worker);
    await check.end();
    expect(worker.isWaiting).toBe(false);
  });

  it('names a missing variable to whoever asks for the worker, and to nobody else', async () => {
    const root = await createShopProject();
    const dataSources = { shop: { uri: '${SHOP_URL}' } };
    await writeFile(path.join(root, 'vendor-cloud.json'), JSON.stringify({ name: 'shop', dataSources }));
    const check = await prepare(root);
    check.begin();
    expect(await check.savedSchema()).toBeUndefined();
    await expect(check.worker()).rejects.toMatchObject({ code: 'PROJECT_VARIABLE_MISSING' });
    await check.end();
  });
});
