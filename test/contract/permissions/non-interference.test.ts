import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { mayAsk, mayDiffer } from './oracle.ts';
import { requestArbitrary } from './requests.ts';
import { rightsArbitrary, unreadableChanged } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';

const engines: readonly (readonly [string, OpenTables, number])[] = [
  ['memory', openMemory, 300],
  ['SQLite', openSqliteTables, 150],
];

describe.each(engines)('what an agent on %s answers', (_engine, open, numRuns) => {
  it('is a refusal where a right is missing, and never depends on what cannot be read', async () => {
    const seen = { refused: 0, answered: 0, compared: 0 };
    const property = fc.asyncProperty(
      rightsArbitrary,
      fc.array(requestArbitrary, { minLength: 20, maxLength: 20 }),
      async (rights, requests) => {
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
      },
    );
    await fc.assert(property, { numRuns });
    // A property that is never put to the test holds as well.
    expect(Math.min(seen.refused, seen.answered, seen.compared)).toBeGreaterThan(3 * numRuns);
  });
});
