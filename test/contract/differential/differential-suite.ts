import fc, { type Arbitrary } from 'fast-check';
import { DateTime, Settings } from 'luxon';
import { afterAll, describe, it } from 'vitest';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { AggregateRow } from '#runtime/query/aggregation';
import { randomRuns } from '../../helpers/random-runs.ts';
import type { OpenTables } from '../data-source/opened.ts';
import type { NeutralTable } from '../data-source/tables.ts';
import { type DatabaseOptions, databaseOf } from './database-arbitrary.ts';
import { createOracle, schemasOf } from './oracle.ts';
import { type Query, queryOn } from './query-arbitrary.ts';

export interface Engine {
  readonly name: string;
  readonly open: OpenTables;
}

export interface DifferentialOptions {
  /** Databases to make; each is asked up to `queriesPerDatabase` questions. */
  readonly databases?: number;
  readonly queriesPerDatabase?: number;
  /** What the engines' decimals can hold. */
  readonly decimal?: readonly [precision: number, scale: number];
  readonly withoutTypes?: DatabaseOptions['withoutTypes'];
  readonly withoutCharacters?: DatabaseOptions['withoutCharacters'];
}

interface Case {
  readonly tables: readonly NeutralTable[];
  readonly queries: readonly Query[];
  /** The present, in milliseconds since 1970. */
  readonly now: number;
}

const seed = process.env['DIFFERENTIAL_SEED'];
const databases = process.env['DIFFERENTIAL_DATABASES'];

/**
 * Random tables and rows, random questions: every engine must answer as the evaluator does. A failure prints its seed;
 * `DIFFERENTIAL_SEED` runs it again, `DIFFERENTIAL_DATABASES` sets how many databases are made.
 */
export function describeDifferential(engines: readonly Engine[], options: DifferentialOptions = {}): void {
  describe('random questions to random databases', () => {
    afterAll(() => {
      Settings.now = () => Date.now();
    });

    it.each(engines)('are answered by $name as by the evaluator', async ({ open }) => {
      const property = fc.asyncProperty(caseOf(options), (example) => answerAll(open, example));
      await fc.assert(property, {
        numRuns: databases === undefined ? randomRuns(options.databases ?? 250) : Number(databases),
        ...(seed === undefined ? {} : { seed: Number(seed) }),
        // Before the time of the test is up: what cuts it off would not tell the seed.
        interruptAfterTimeLimit: longestRunMs,
        markInterruptAsFailure: true,
      });
    });
  });
}

function caseOf(options: DifferentialOptions) {
  const { decimal = [15, 3], queriesPerDatabase = 60, withoutTypes, withoutCharacters } = options;
  const isAsked = (query: Query) => withoutCharacters?.test(JSON.stringify(query)) !== true;
  return databaseOf({ decimal, withoutTypes, withoutCharacters }).chain((tables) =>
    fc.record<Case>({
      tables: fc.constant(tables),
      queries: fc.array(queryOn(tables, schemasOf(tables)).filter(isAsked), {
        minLength: 1,
        maxLength: queriesPerDatabase,
        size: 'max',
      }),
      now: presentNear(tables),
    }),
  );
}

const longestRunMs = 150_000;
const hourMs = 3_600_000;
const distances = [0, 1, 5, 12, 24, 48, 24 * 7, 24 * 30, 24 * 90, 24 * 365];

/** At, or some round time after, an instant or a day that the tables hold, so that relative dates find something. */
export function presentNear(tables: readonly NeutralTable[]): Arbitrary<number> {
  const held = tables.flatMap(({ columns, rows }) =>
    columns
      .filter(({ type }) => type === 'instant' || type === 'day')
      .flatMap(({ name }) => rows.flatMap((row) => (row[name] === null ? [] : [Date.parse(String(row[name]))]))),
  );
  return fc
    .tuple(fc.constantFrom(Date.UTC(2024, 2, 31, 12), ...held), fc.constantFrom(...distances))
    .map(([instant, hours]) => instant + hours * hourMs);
}

async function answerAll(open: OpenTables, { tables, queries, now }: Case): Promise<void> {
  Settings.now = () => now;
  const oracle = createOracle(tables);
  const dataSource = await open(tables);
  try {
    for (const query of queries) {
      const [answered, expected] = [comparable(query, await ask(dataSource, query)), comparable(query, oracle(query))];
      if (answered !== expected) {
        const present = DateTime.fromMillis(now, { zone: query.timezone }).toISO();
        throw new Error(`${JSON.stringify(query)}\nat ${present}\nwas answered ${answered}\nexpected     ${expected}`);
      }
    }
  } finally {
    await dataSource.close();
  }
}

export async function ask(dataSource: DataSource, query: Query): Promise<unknown> {
  const { collection, where, timezone } = query;
  const context = { timezone };
  switch (query.kind) {
    case 'list':
      return dataSource.list({ ...query, where }, context);
    case 'count':
      return dataSource.count(collection, where, context);
    case 'aggregate':
      return dataSource.aggregate(query, context);
    case 'update':
      return dataSource.update(collection, where, query.patch, context);
    case 'delete':
      return dataSource.delete(collection, where, context);
  }
}

/** Answers as text. An average of floating-point numbers may differ in its last digits. */
export function comparable(query: Query, answer: unknown): string {
  if (query.kind !== 'aggregate' || query.aggregation.operation !== 'Avg') return textOf(answer);
  const rows = (answer as AggregateRow[]).map(({ value, group }) => ({
    value: typeof value === 'number' ? Number(value.toPrecision(12)) : value,
    group,
  }));
  return textOf(rows);
}

function textOf(answer: unknown): string {
  return canonicalJson(answer === undefined ? null : withPlainBytes(answer));
}

function withPlainBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(withPlainBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withPlainBytes(inner)]));
}
