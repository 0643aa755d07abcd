import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { type Ask, compareAnswers, nothingSeen } from './compare-answers.ts';
import { requestArbitrary, usualKinds, usualRequest } from './requests.ts';
import { generousRightsArbitrary, rightsArbitrary } from './rights.ts';

const engines: readonly (readonly [string, OpenTables, number])[] = [
  ['memory', openMemory, randomRuns(300)],
  ['SQLite', openSqliteTables, randomRuns(150)],
];

const ask: Ask = (agent, request) => agent.ask(request);

describe.each(engines)('an agent on %s', (_engine, open, numRuns) => {
  it('refuses where a right is missing, and never answers by what the caller cannot read', async () => {
    const seen = nothingSeen();
    const requests = fc.array(requestArbitrary, { minLength: 20, maxLength: 20 });
    const property = fc.asyncProperty(rightsArbitrary, requests, (rights, drawn) =>
      compareAnswers(open, rights, drawn, ask, seen),
    );
    await fc.assert(property, { numRuns });
    // A property that is never put to the test holds as well.
    expect(Math.min(seen.refused, seen.answered, seen.compared)).toBeGreaterThan(3 * numRuns);
  });

  it.each(usualKinds)(
    'does not answer by what the caller cannot read where most requests succeed: %s',
    { tags: 'long' },
    async (kind) => {
      const seen = nothingSeen();
      const requests = fc.array(usualRequest(kind), { minLength: 5, maxLength: 5 });
      const property = fc.asyncProperty(generousRightsArbitrary, requests, (rights, drawn) =>
        compareAnswers(open, rights, drawn, ask, seen),
      );
      await fc.assert(property, { numRuns: Math.ceil(numRuns / 2) });
      expect(seen.answered).toBeGreaterThan((5 * numRuns) / 2 / 3);
      expect(seen.compared).toBeGreaterThan(0);
    },
  );
});
