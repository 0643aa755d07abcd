import { strict as assert } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { median, percentile, rounded } from '../statistics.ts';
import type { BareProgram } from './bare-program.ts';
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
  /** What the program said it took. */
  readonly reportedMs: number;
}

/** What the saves of the bare program are measured by. */
export type BareMeasure = keyof Sample;

/**
 * Save a project's code `saves` times, and ask over one kept-alive connection, with a pause before each request, until the answer has
 * the new value. Each save is also one of the bare program; which one goes first alternates.
 */
export async function measureSaves(project: SavedProject, bare: BareProgram, by: BareMeasure, saves: number) {
  const samples: Sample[] = [];
  const bareSamples: Sample[] = [];
  let failed = 0;
  for (let save = 1; save <= saves; save++) {
    const ofProject = async () => {
      const sample = await afterPause(() => measureSave(project, save));
      if (sample) samples.push(sample);
      else failed++;
    };
    const ofBare = async () => void bareSamples.push(await afterPause(() => measureBareSave(bare, save)));
    for (const measure of save % 2 === 0 ? [ofProject, ofBare] : [ofBare, ofProject]) await measure();
  }
  const errors = project.served.errors();
  for (const error of errors) console.error(JSON.stringify(error));
  const seen = samples.map(({ seenMs }) => seenMs);
  const reported = samples.map(({ reportedMs }) => reportedMs);
  const ofBare = bareSamples.map((sample) => sample[by]);
  return {
    p50Ratio: rounded(median(seen) / median(ofBare)),
    p95Ratio: rounded(percentile(seen, 95) / percentile(ofBare, 95)),
    bareP50Ms: rounded(median(ofBare)),
    bareP95Ms: rounded(percentile(ofBare, 95)),
    p50Ms: rounded(median(seen)),
    p95Ms: rounded(percentile(seen, 95)),
    maxMs: rounded(percentile(seen, 100)),
    reportedP50Ms: rounded(median(reported)),
    reportedP95Ms: rounded(percentile(reported, 95)),
    saves,
    failed: failed + errors.length,
  };
}

async function afterPause<Result>(work: () => Promise<Result>): Promise<Result> {
  await pause(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
  return work();
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

async function measureBareSave({ entry, sourceOf, read }: BareProgram, save: number): Promise<Sample> {
  const before = await read();
  const start = performance.now();
  await writeFile(entry, sourceOf(`r${save}`));
  for (;;) {
    await pause(lookPauseMs);
    const { revision, builtMs } = await read();
    const seenMs = performance.now() - start;
    if (revision === `r${save}`) return { seenMs, reportedMs: builtMs };
    assert.equal(revision, before.revision, 'An answer of the bare program had neither the old value nor the new one.');
    assert(seenMs < patienceMs, 'The bare program did not see a save.');
  }
}
