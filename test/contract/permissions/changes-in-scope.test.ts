import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { addTags, changeKinds, changeOf, outcomeOfChange, sentChange } from './changes.ts';
import { generousRightsArbitrary } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';

const engines: readonly (readonly [string, OpenTables, number])[] = [
  ['memory', openMemory, randomRuns(150)],
  ['SQLite', openSqliteTables, randomRuns(90)],
];

describe.each(engines)('changes of records on %s', (_engine, open, numRuns) => {
  it.each(changeKinds)('do what the rights and scopes allow, and no more: %s', async (kind) => {
    let changed = 0;
    const property = fc.asyncProperty(generousRightsArbitrary, changeOf(kind), async (rights, change) => {
      const agent = await serveShop(open, shop, rights, addTags);
      try {
        const expected = outcomeOfChange(rights, shop, change);
        const isRefused = typeof expected === 'number';
        const { status, body } = await agent.ask(sentChange(change));
        expect([change, body, status]).toEqual([change, body, isRefused ? expected : 204]);
        const found = await agent.everything();
        expect([change, found]).toEqual([change, isRefused ? shop : expected]);
        if (JSON.stringify(found) !== JSON.stringify(shop)) changed++;
      } finally {
        await agent.close();
      }
    });
    await fc.assert(property, { numRuns });
    // A property about refusals alone says little about what is done.
    expect(changed).toBeGreaterThan(numRuns / 3);
  });
});
