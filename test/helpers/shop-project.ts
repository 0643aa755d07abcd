import { cp, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { flowContext } from './flow-context.ts';
import { temporaryFolder } from './temporary-folder.ts';

let pattern: Promise<string> | undefined;

/** A sample project of the test's own: filling its database takes over a second, so it is done once for a process, which may run many files. */
export async function createShopProject(): Promise<string> {
  pattern ??= bootstrapShop();
  const root = path.join(await temporaryFolder(), 'shop');
  await cp(await pattern, root, { recursive: true });
  return root;
}

async function bootstrapShop(): Promise<string> {
  const folder = await mkdtemp(path.join(inject('patternFolder'), 'shop-'));
  const { path: root } = await bootstrap(flowContext(folder), { directory: 'shop', template: 'shop' });
  return root;
}
