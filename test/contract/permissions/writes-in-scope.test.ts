import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { rightsArbitrary } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';
import { outcomeOf, type Refusal } from './write-oracle.ts';
import { importFields, sentWrite, writeArbitrary } from './writes.ts';

const engines: readonly (readonly [string, OpenTables, number])[] = [
  ['memory', openMemory, randomRuns(1_000)],
  ['SQLite', openSqliteTables, randomRuns(200)],
];

/** The answer to a refused write. A record that is not there is answered with as none. */
const answers: Readonly<Record<Refusal, (status: number, body: string) => boolean>> = {
  forbidden: (status) => status === 403,
  'out of scope': (status, body) => status === 403 && body.includes('"RECORD_OUT_OF_SCOPE"'),
  'not found': (status) => status === 404,
  'nothing to change': (status, body) => status === 200 && body.includes('"data":null'),
  impossible: (status) => status >= 400 && status < 500 && status !== 403 && status !== 404,
};

/** How often each outcome was seen, on all engines. */
const seen: Record<string, number> = {};

describe.each(engines)('a write to %s', (_engine, open, numRuns) => {
  it('stays within the scopes of the caller, and changes nothing where a part of it would not', async () => {
    const property = fc.asyncProperty(rightsArbitrary, writeArbitrary, async (rights, write) => {
      const agent = await serveShop(open, shop, rights, importFields);
      try {
        const expected = outcomeOf(rights, shop, write);
        const { status, body } = await agent.ask(sentWrite(write));
        const isRefused = typeof expected === 'string';
        const isAnswered = isRefused ? answers[expected](status, body) : status < 300;
        expect([write, status, body, isAnswered]).toEqual([write, status, body, true]);
        expect(await agent.everything()).toEqual(isRefused ? shop : expected);
        const kind = isRefused ? expected : 'written';
        seen[kind] = (seen[kind] ?? 0) + 1;
      } finally {
        await agent.close();
      }
    });
    await fc.assert(property, { numRuns });
  });
});

it('writes of every outcome were made', () => {
  // A property that is never put to the test holds as well.
  expect(Object.keys(seen).sort()).toEqual([
    ...['forbidden', 'impossible', 'not found', 'nothing to change', 'out of scope', 'written'],
  ]);
});
