import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import {
  columnsQuery,
  foreignKeysQuery,
  tablesQuery,
  uniqueKeysQuery,
} from '#runtime/data-sources/postgres/postgres-catalogue-queries';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { type BenchPostgres, startPostgres } from '../postgres.ts';
import { median, rounded } from '../statistics.ts';
import { tableStatements } from './tables.ts';

const start = path.join(import.meta.dirname, 'start.js');
const bareProgram = path.join(import.meta.dirname, 'bare.js');
const catalogueStatements = [tablesQuery, columnsQuery, uniqueKeysQuery, foreignKeysQuery];

/** One start of a process. */
export interface Start {
  /** Without the loading of modules. */
  readonly seconds: number;
  /** Of the whole process. */
  readonly cpuSeconds: number;
  readonly rssMb: number;
}

/** What it takes to start on a database of many tables, schema and typings written: the first time, and unchanged. */
export async function benchIntrospection({ isQuick }: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  const figures: Record<string, number> = {};
  try {
    const postgres = await startPostgres(folder);
    try {
      for (const count of isQuick ? [100, 1000] : [100, 1000, 5000])
        Object.assign(figures, await measure(postgres, folder, count, isQuick));
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { name: 'introspection', figures };
}

async function measure(
  postgres: BenchPostgres,
  folder: string,
  count: number,
  isQuick: boolean,
): Promise<Record<string, number>> {
  await postgres.execute(['drop schema public cascade', 'create schema public', ...tableStatements(count), 'analyze']);
  const runs = isQuick ? 1 : 3;
  const cold: Start[] = [];
  const warm: Start[] = [];
  const bare: number[] = [];
  let statements = 0;
  for (let run = 0; run < runs; run++) {
    const target = await mkdtemp(path.join(folder, 'start-'));
    const before = await postgres.statementCount();
    cold.push(await startOnce(postgres.uri, target, count));
    // One of them asked for the count.
    statements = (await postgres.statementCount()) - before - 1;
    bare.push(await readBare(postgres, count));
    warm.push(await startOnce(postgres.uri, target, count));
  }
  const ratioOf = (all: readonly Start[]) =>
    rounded(median(all.map(({ seconds }, run) => seconds / (bare[run] ?? Number.NaN))));
  return {
    [`coldRatio${count}`]: ratioOf(cold),
    [`warmRatio${count}`]: ratioOf(warm),
    [`bareSeconds${count}`]: rounded(median(bare)),
    [`coldSeconds${count}`]: rounded(median(cold.map(({ seconds }) => seconds))),
    [`warmSeconds${count}`]: rounded(median(warm.map(({ seconds }) => seconds))),
    [`rssMb${count}`]: rounded(median(cold.map(({ rssMb }) => rssMb))),
    [`statements${count}`]: statements,
  };
}

/** Start a process on a database of `count` tables, and check the schema and the typings that it writes below `folder`. */
export async function startOnce(uri: string, folder: string, count: number): Promise<Start> {
  const { stdout } = await execa(process.execPath, [start, uri, folder]);
  const schema = JSON.parse(await readFile(path.join(folder, 'schema.json'), 'utf8')) as { collections: unknown[] };
  assert.equal(schema.collections.length, count);
  assert.match(await readFile(path.join(folder, 'typings.d.ts'), 'utf8'), new RegExp(`^ {2}t${count - 1}: \\{`, 'm'));
  return JSON.parse(stdout) as Start;
}

/** The catalogue statements and one pass over their rows, in seconds. */
async function readBare(postgres: BenchPostgres, count: number): Promise<number> {
  const input = JSON.stringify(catalogueStatements);
  const { stdout } = await execa(process.execPath, [bareProgram, postgres.uri], { input });
  const { seconds, tables } = JSON.parse(stdout) as { seconds: number; tables: number };
  assert.equal(tables, count);
  return seconds;
}
