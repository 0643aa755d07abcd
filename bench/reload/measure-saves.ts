import { strict as assert } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { median, percentile, rounded } from '../statistics.ts';
import type { ServedProject } from './serve-project.ts';

/**
 * A person's saves are far apart, and the watcher holds back a second change of a file for 50 ms. The pauses are random,
 * so that no timer of the loop keeps step with the saves.
 */
const pauseMs = { least: 80, most: 180 };
/**
 * Before each look for the new value. Requests without pause take a processor of the two that a reload runs on, and the time of
 * the reload would be the time beside a load test.
 */
const lookPauseMs = 4;
const patienceMs = 10_000;

/** A project whose code is saved again and again, each time with another revision in a computed field. */
export interface SavedProject {
  readonly served: ServedProject;
  sourceOf(revision: string): string;
  /** The computed field as it is served, and the column it is made from. */
  readRevision(): Promise<{ readonly column: string; readonly revision: string }>;
}

interface Sample {
  /** From before the write to after the first answer with the new value. */
  readonly seenMs: number;
  /** What the command line said it took. */
  readonly reportedMs: number;
}

/** Save a project's code `saves` times, and ask over one kept-alive connection, with a pause before each request, until the answer has the new value. */
export async function measureSaves(project: SavedProject, saves: number) {
  const samples: Sample[] = [];
  let failed = 0;
  for (let save = 1; save <= saves; save++) {
    await pause(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
    const sample = await measureSave(project, save);
    if (sample) samples.push(sample);
    else failed++;
  }
  const errors = project.served.errors();
  for (const error of errors) console.error(JSON.stringify(error));
  const seen = samples.map(({ seenMs }) => seenMs);
  const reported = samples.map(({ reportedMs }) => reportedMs);
  return {
    p50Ms: rounded(median(seen)),
    p95Ms: rounded(percentile(seen, 95)),
    maxMs: rounded(percentile(seen, 100)),
    reportedP50Ms: rounded(median(reported)),
    reportedP95Ms: rounded(percentile(reported, 95)),
    saves,
    failed: failed + errors.length,
  };
}

/** One save; `undefined` when its value was not there in good time. */
async function measureSave(
  { served, sourceOf, readRevision }: SavedProject,
  save: number,
): Promise<Sample | undefined> {
  const before = await readRevision();
  const wanted = `${before.column} r${save}`;
  const start = performance.now();
  await writeFile(served.entry, sourceOf(`r${save}`));
  for (;;) {
    await pause(lookPauseMs);
    const { revision } = await readRevision();
    const seenMs = performance.now() - start;
    if (revision === wanted) return { seenMs, reportedMs: await served.nextReload() };
    assert.equal(revision, before.revision, 'An answer had neither the old value nor the new one.');
    if (seenMs > patienceMs) return undefined;
  }
}
