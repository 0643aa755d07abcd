import { strict as assert } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { median, percentile, rounded } from '../statistics.ts';
import { checkCustomizations } from './check-customizations.ts';
import { readCustomization } from './read-customization.ts';
import { type ServedShop, serveShop } from './serve-shop.ts';

/**
 * A person's saves are far apart, and the watcher holds back a second change of a file for 50 ms. The pauses are random,
 * so that no timer of the loop keeps step with the saves.
 */
const pauseMs = { least: 80, most: 180 };
const patienceMs = 10_000;

interface Sample {
  /** From before the write to after the first answer with the new value. */
  readonly seenMs: number;
  /** What the command line said it took. */
  readonly reportedMs: number;
}

/**
 * Save the customization code of a served shop again and again, each time with another value in a computed field, and
 * ask over one kept-alive connection until the answer has it.
 */
export async function benchReload({ isQuick }: BenchOptions): Promise<BenchReport> {
  const saves = isQuick ? 40 : 200;
  const sourceOf = await readCustomization();
  const shop = await serveShop(sourceOf('r0'));
  const samples: Sample[] = [];
  let failed = 0;
  try {
    await checkCustomizations(shop);
    for (let save = 1; save <= saves; save++) {
      await pause(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
      const sample = await measureSave(shop, sourceOf, save);
      if (sample) samples.push(sample);
      else failed++;
    }
    await checkCustomizations(shop);
    failed += shop.errors().length;
    for (const error of shop.errors()) console.error(JSON.stringify(error));
  } finally {
    await shop.stop();
  }
  const seen = samples.map(({ seenMs }) => seenMs);
  const reported = samples.map(({ reportedMs }) => reportedMs);
  return {
    name: 'reload',
    figures: {
      p50Ms: rounded(median(seen)),
      p95Ms: rounded(percentile(seen, 95)),
      maxMs: rounded(percentile(seen, 100)),
      reportedP50Ms: rounded(median(reported)),
      reportedP95Ms: rounded(percentile(reported, 95)),
      saves,
      failed,
    },
  };
}

/** One save; `undefined` when its value was not there in good time. */
async function measureSave(
  shop: ServedShop,
  sourceOf: (revision: string) => string,
  save: number,
): Promise<Sample | undefined> {
  const before = await shop.readRevision();
  const wanted = `${before.reference} r${save}`;
  const start = performance.now();
  await writeFile(shop.entry, sourceOf(`r${save}`));
  for (;;) {
    const { revision } = await shop.readRevision();
    const seenMs = performance.now() - start;
    if (revision === wanted) return { seenMs, reportedMs: await shop.nextReload() };
    assert.equal(revision, before.revision, 'An answer had neither the old value nor the new one.');
    if (seenMs > patienceMs) return undefined;
  }
}
