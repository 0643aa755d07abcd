import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { mayAsk, mayDiffer } from './oracle.ts';
import { requestArbitrary, type ShopRequest, usualKinds, usualRequest } from './requests.ts';
import { generousRightsArbitrary, type Rights, rightsArbitrary, unreadableChanged } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';

const engines: readonly (readonly [string, OpenTables, number])[] = [
  ['memory', openMemory, randomRuns(300)],
  ['SQLite', openSqliteTables, randomRuns(150)],
];

/** How many requests were refused, answered, and answered the same whatever nobody may read. */
interface Seen {
  refused: number;
  answered: number;
  compared: number;
}

/** Ask an agent, and another one on data in which everything differs that the caller cannot read. */
async function compareAnswers(open: OpenTables, rights: Rights, requests: readonly ShopRequest[], seen: Seen) {
  const agent = await serveShop(open, shop, rights);
  const other = await serveShop(open, unreadableChanged(rights), rights);
  try {
    for (const request of requests) {
      const answer = await agent.ask(request);
      expect([request, answer.status === 403]).toEqual([request, !mayAsk(rights, request)]);
      expect(answer.status).toBeLessThan(500);
      if (answer.status === 403) seen.refused++;
      else if (answer.status === 200) seen.answered++;
      if (mayDiffer(rights, request)) continue;
      seen.compared++;
      expect([request, await other.ask(request)]).toEqual([request, answer]);
    }
  } finally {
    await agent.close();
    await other.close();
  }
}

describe.each(engines)('an agent on %s', (_engine, open, numRuns) => {
  it('refuses where a right is missing, and never answers by what the caller cannot read', async () => {
    const seen: Seen = { refused: 0, answered: 0, compared: 0 };
    const requests = fc.array(requestArbitrary, { minLength: 20, maxLength: 20 });
    const property = fc.asyncProperty(rightsArbitrary, requests, (rights, drawn) =>
      compareAnswers(open, rights, drawn, seen),
    );
    await fc.assert(property, { numRuns });
    // A property that is never put to the test holds as well.
    expect(Math.min(seen.refused, seen.answered, seen.compared)).toBeGreaterThan(3 * numRuns);
  });

  it.each(usualKinds)(
    'does not answer by what the caller cannot read where most requests succeed: %s',
    async (kind) => {
      const seen: Seen = { refused: 0, answered: 0, compared: 0 };
      const requests = fc.array(usualRequest(kind), { minLength: 5, maxLength: 5 });
      const property = fc.asyncProperty(generousRightsArbitrary, requests, (rights, drawn) =>
        compareAnswers(open, rights, drawn, seen),
      );
      await fc.assert(property, { numRuns: Math.ceil(numRuns / 2) });
      expect(seen.answered).toBeGreaterThan((5 * numRuns) / 2 / 3);
      expect(seen.compared).toBeGreaterThan(0);
    },
  );
});
