import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { type Start, startOnce } from '../introspection/introspection.ts';
import { tableStatements } from '../introspection/tables.ts';
import { startPostgres } from '../postgres.ts';
import { largeSource } from '../reload/large-source.ts';
import { type ServedProject, serveProject } from '../reload/serve-project.ts';
import { median, rounded } from '../statistics.ts';

const few = 1_000;
const many = 10_000;
const listsARound = 200;
const betweenSavesMs = 2_000;

/** What a database of ten thousand tables costs, over one of a thousand. */
export async function benchTables({ isQuick }: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  try {
    // The servers run as another user, who must get through to their data.
    await chmod(folder, 0o755);
    const ofFew = await startPostgres(await folderIn(folder, 'few'));
    const ofMany = await startPostgres(await folderIn(folder, 'many'));
    try {
      await Promise.all([ofFew.execute(filledTables(few)), ofMany.execute(filledTables(many))]);
      const starts = await measureStarts(folder, ofFew.uri, ofMany.uri, isQuick ? 1 : 5);
      const served = await measureServed(folder, ofFew.uri, ofMany.uri, isQuick ? 5 : 25);
      return { name: 'tables', figures: { ...starts, ...served } };
    } finally {
      await ofFew.stop();
      await ofMany.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Three records in the table that is listed. */
function filledTables(count: number): string[] {
  const rows = `insert into t0 (first_id, second_id, name) select n, n, 'record ' || n from generate_series(1, 3) n`;
  return [...tableStatements(count), rows, 'analyze'];
}

/** The processor time of a process from its start to its end, and its memory. One with few tables goes before each with many. */
async function measureStarts(folder: string, fewUri: string, manyUri: string, rounds: number) {
  const starts = { few: [] as ColdAndWarm[], many: [] as ColdAndWarm[] };
  for (let round = 0; round < rounds; round++) {
    starts.few.push(await startTwice(await folderIn(folder, `start-few-${round}`), fewUri, few));
    starts.many.push(await startTwice(await folderIn(folder, `start-many-${round}`), manyUri, many));
  }
  const growth = (read: (start: ColdAndWarm) => number) => growthOf(starts.few.map(read), starts.many.map(read));
  return {
    coldGrowth: growth(({ cold }) => cold.cpuSeconds),
    warmGrowth: growth(({ warm }) => warm.cpuSeconds),
    rssGrowth: growth(({ cold }) => cold.rssMb),
    coldCpuSeconds: rounded(median(starts.many.map(({ cold }) => cold.cpuSeconds))),
    warmCpuSeconds: rounded(median(starts.many.map(({ warm }) => warm.cpuSeconds))),
    rssMb: rounded(median(starts.many.map(({ cold }) => cold.rssMb))),
  };
}

interface ColdAndWarm {
  readonly cold: Start;
  readonly warm: Start;
}

async function startTwice(folder: string, uri: string, count: number): Promise<ColdAndWarm> {
  return { cold: await startOnce(uri, folder, count), warm: await startOnce(uri, folder, count) };
}

/** Lists and reloads of two projects with the same code, in turns. */
async function measureServed(folder: string, fewUri: string, manyUri: string, rounds: number) {
  const ofFew = await serveProject(await folderIn(folder, 'served-few'), ['--uri', fewUri], largeSource('r0'));
  const ofMany = await serveProject(await folderIn(folder, 'served-many'), ['--uri', manyUri], largeSource('r0'));
  try {
    const lists = { few: [] as number[], many: [] as number[] };
    const reloads = { few: [] as number[], many: [] as number[] };
    // The first lists find out what the session shows.
    for (const served of [ofFew, ofMany]) await listsMs(served);
    for (let round = 1; round <= rounds; round++) {
      lists.few.push(await listsMs(ofFew));
      lists.many.push(await listsMs(ofMany));
    }
    for (let round = 1; round <= rounds; round++) {
      reloads.few.push(await reloadMs(ofFew, round));
      reloads.many.push(await reloadMs(ofMany, round));
    }
    return {
      listGrowth: growthOf(lists.few, lists.many),
      reloadGrowth: growthOf(reloads.few, reloads.many),
      listUs: rounded((1000 * median(lists.many)) / listsARound),
      reloadMs: rounded(median(reloads.many)),
    };
  } finally {
    await ofFew.stop();
    await ofMany.stop();
  }
}

async function listsMs(served: ServedProject): Promise<number> {
  const begin = performance.now();
  for (let list = 0; list < listsARound; list++) await served.send('GET', '/t0?fields[t0]=name,revision');
  return performance.now() - begin;
}

/** People do not save before they have seen what the last save did. By then the typings are written, too. */
async function reloadMs(served: ServedProject, round: number): Promise<number> {
  await pause(betweenSavesMs);
  const reloaded = served.nextReload();
  await writeFile(served.entry, largeSource(`r${round}`));
  return reloaded;
}

function growthOf(ofFew: readonly number[], ofMany: readonly number[]): number {
  return rounded(median(ofMany) / median(ofFew));
}

async function folderIn(folder: string, name: string): Promise<string> {
  const inner = path.join(folder, name);
  await mkdir(inner, { mode: 0o755 });
  return inner;
}
