import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { WorkerDiagnosis } from '../../src/flows/agent-worker/worker-protocol.ts';
import { startDevSession } from '../helpers/dev-session.ts';

/**
 * Bytes a reload may leave in the heap. The engine itself goes on optimising for a few hundred reloads and keeps some two
 * thousand for each; a kept copy of the bundle would be over ten thousand.
 */
const bytesPerReload = 5_000;

describe('200 reloads', () => {
  it('leave heap, handles, timers and connections where they were after the first ten', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const source = await readFile(session.entry, 'utf8');
    const reload = async (number: number) => {
      const greedy = `): void {
        setInterval(() => undefined, 60_000);
        (globalThis as unknown as { process: { on(event: string, listener: () => void): void } }).process.on('warning', () => undefined);
        agent.customizeCollection('products', (products) =>
          products.addField('round', { columnType: 'Number', dependencies: ['id'], getValues: (rows) => rows.map(() => ${number}) }));`;
      await writeFile(session.entry, source.replace('): void {', greedy));
      await session.next('reloaded');
    };

    for (let round = 0; round < 10; round++) await reload(round);
    const before = await session.controls.diagnose();
    const mainBefore = countByKind(process.getActiveResourcesInfo());
    for (let round = 10; round < 200; round++) await reload(round);
    const after = await session.controls.diagnose();

    expect(after.databaseConnections).toBe(before.databaseConnections);
    expect(grownKinds(countByKind(before.activeResources), countByKind(after.activeResources))).toEqual([]);
    expect(await lastingGrowth(mainBefore)).toEqual([]);
    const grown = (after.heapUsedBytes - before.heapUsedBytes) / 190;
    console.info(describeGrowth(before, after));
    expect(grown, describeGrowth(before, after)).toBeLessThan(bytesPerReload);
  });
});

/** The watcher and the runner of the tests have timers of a moment: those end, what a reload left would stay. */
async function lastingGrowth(before: Record<string, number>): Promise<string[]> {
  for (let look = 1; ; look++) {
    const grown = grownKinds(before, countByKind(process.getActiveResourcesInfo()));
    if (grown.length === 0 || look === 100) return grown;
    await wait(50);
  }
}

/** Immediates and running requests come and go with the moment of looking. */
function countByKind(resources: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of resources)
    if (!/Immediate|ReqWrap|Req$|TickObject/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Fewer is fine: a kept-alive connection of the start may have ended meanwhile. */
function grownKinds(before: Record<string, number>, after: Record<string, number>): string[] {
  return Object.keys(after).filter((kind) => (after[kind] ?? 0) > (before[kind] ?? 0));
}

function describeGrowth(before: WorkerDiagnosis, after: WorkerDiagnosis): string {
  return `The heap of the worker went from ${before.heapUsedBytes} to ${after.heapUsedBytes} bytes.`;
}
