import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { reloadLarge } from './reload-large.ts';
import { reloadShop } from './reload-shop.ts';

/** What a save costs whoever customizes: in the sample shop, and on a database of a thousand tables. */
export async function benchReload({ isQuick }: BenchOptions): Promise<BenchReport> {
  const saves = isQuick ? 40 : 200;
  const shop = await inFolder((folder) => reloadShop(folder, saves));
  const large = await inFolder((folder) => reloadLarge(folder, saves));
  const ofLarge = Object.entries(large).map(([figure, value]) => [`large.${figure}`, value]);
  return { name: 'reload', figures: { ...shop, ...Object.fromEntries(ofLarge) } };
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
