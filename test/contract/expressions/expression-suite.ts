import fc, { type Arbitrary } from 'fast-check';
import { DateTime, Settings } from 'luxon';
import { afterAll, describe, it } from 'vitest';
import { memoryOperatorsOf } from '#runtime/data-sources/memory/memory-schema';
import type { CollectionSchema, ColumnSchema } from '#runtime/query/collection-schema';
import { randomRuns } from '../../helpers/random-runs.ts';
import { type Expressions, extendedCollections, extendedSource } from '../data-source/extended-source.ts';
import type { OpenTables } from '../data-source/opened.ts';
import type { NeutralTable, NeutralType } from '../data-source/tables.ts';
import { databaseOf } from '../differential/database-arbitrary.ts';
import {
  ask,
  comparable,
  type DifferentialOptions,
  type Engine,
  presentNear,
} from '../differential/differential-suite.ts';
import { createOracle, schemasOf } from '../differential/oracle.ts';
import { type Query, queryOn, reachableColumns } from '../differential/query-arbitrary.ts';
import { expressionOn } from './expression-arbitrary.ts';

interface Case {
  readonly tables: readonly NeutralTable[];
  readonly added: Expressions;
  readonly collections: readonly CollectionSchema[];
  readonly queries: readonly Query[];
  readonly now: number;
}

const seed = process.env['DIFFERENTIAL_SEED'];
const databases = process.env['DIFFERENTIAL_DATABASES'];

/**
 * Random expressions on random tables, and random questions through them: every engine must answer as the evaluator does.
 * A failure prints its seed; `DIFFERENTIAL_SEED` runs it again, `DIFFERENTIAL_DATABASES` sets how many databases are made.
 */
export function describeRandomExpressions(
  engines: readonly Engine[],
  count: number,
  { withoutTypes }: Pick<DifferentialOptions, 'withoutTypes'> = {},
): void {
  describe('random expressions', () => {
    afterAll(() => {
      Settings.now = () => Date.now();
    });

    it.each(engines)('are worked out by $name as by the evaluator', async ({ open }) => {
      await fc.assert(
        fc.asyncProperty(caseWithout(withoutTypes), (example) => answerAll(open, example)),
        {
          numRuns: databases === undefined ? randomRuns(count) : Number(databases),
          ...(seed === undefined ? {} : { seed: Number(seed) }),
        },
      );
    });
  });
}

const caseWithout = (withoutTypes: DifferentialOptions['withoutTypes']): Arbitrary<Case> =>
  databaseOf({ decimal: [9, 3], withoutTypes }).chain((tables) =>
    addedTo(tables).chain((added) => {
      const collections = extendedCollections(schemasOf(tables), memoryOperatorsOf, added);
      const described = withExpressions(tables, collections);
      return fc.record<Case>({
        tables: fc.constant(tables),
        added: fc.constant(added),
        collections: fc.constant(collections),
        queries: fc.array(queryOn(described, collections), { minLength: 1, maxLength: 30, size: 'max' }),
        now: presentNear(tables),
      });
    }),
  );

/** Three expressions for each table with a key of one column, also through its relations, and one on those. */
function addedTo(tables: readonly NeutralTable[]): Arbitrary<Expressions> {
  const keyed = tables.filter(({ primaryKey }) => primaryKey.length === 1);
  const perTable = keyed.map((table) => {
    const columns = reachableColumns(tables, schemasOf(tables), table.name, 2);
    return fc.array(expressionOn(columns), { minLength: 3, maxLength: 3 });
  });
  return fc.tuple(...perTable).chain((drawn) => {
    const added: Expressions = Object.fromEntries(
      keyed.map(({ name }, index) => [
        name,
        Object.fromEntries((drawn[index] ?? []).map((expression, at) => [`e${at}`, expression])),
      ]),
    );
    const collections = extendedCollections(schemasOf(tables), memoryOperatorsOf, added);
    const described = withExpressions(tables, collections);
    const onThose = keyed.map(({ name }) => expressionOn(reachableColumns(described, collections, name, 2)));
    return fc
      .tuple(...onThose)
      .map((last) =>
        Object.fromEntries(keyed.map(({ name }, index) => [name, { ...added[name], e3: last[index] ?? { value: 0 } }])),
      );
  });
}

/** The tables as if expressions were columns, for whoever draws values to compare them with. */
function withExpressions(
  tables: readonly NeutralTable[],
  collections: readonly CollectionSchema[],
): readonly NeutralTable[] {
  return tables.map((table) => {
    const fields = [...(collections.find(({ name }) => name === table.name)?.fields.values() ?? [])];
    const columns = fields.flatMap((field) =>
      field.kind === 'column' && field.expression ? [{ name: field.name, type: neutralType(field) }] : [],
    );
    return { ...table, columns: [...table.columns, ...columns] };
  });
}

function neutralType({ type, isExact, scale = 3 }: ColumnSchema): NeutralType {
  switch (type) {
    case 'Boolean':
      return 'boolean';
    case 'Date':
      return 'instant';
    case 'Dateonly':
      return 'day';
    case 'Number':
      return isExact ? { decimal: [18, Math.max(1, scale)] } : 'float';
    default:
      return 'text';
  }
}

async function answerAll(open: OpenTables, { tables, added, collections, queries, now }: Case): Promise<void> {
  Settings.now = () => now;
  const oracle = createOracle(tables, collections);
  const source = extendedSource(await open(tables), added);
  try {
    for (const query of queries) {
      const answered = comparable(query, await ask(source, query));
      const expected = comparable(query, oracle(query));
      if (answered !== expected) {
        const present = DateTime.fromMillis(now, { zone: query.timezone }).toISO();
        const asked = `${JSON.stringify(query)}\non ${JSON.stringify(added)}\nat ${present}`;
        throw new Error(`${asked}\nwas answered ${answered}\nexpected     ${expected}`);
      }
    }
  } finally {
    await source.close();
  }
}
