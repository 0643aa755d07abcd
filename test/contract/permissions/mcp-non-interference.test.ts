import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../helpers/random-runs.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { toolOf } from './mcp-request.ts';
import { mayAsk, mayDiffer } from './oracle.ts';
import { requestArbitrary, type ShopRequest } from './requests.ts';
import { type Rights, rightsArbitrary, unreadableChanged } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';

const engines: readonly (readonly [string, OpenTables, number])[] = [
  ['memory', openMemory, randomRuns(100)],
  ['SQLite', openSqliteTables, randomRuns(50)],
];

/** How many calls were refused, answered, and answered the same whatever nobody may read. */
interface Seen {
  refused: number;
  answered: number;
  compared: number;
}

/** Ask an agent through its tools, and another one on data in which everything differs that the caller cannot read. */
async function compareAnswers(open: OpenTables, rights: Rights, requests: readonly ShopRequest[], seen: Seen) {
  const agent = await serveShop(open, shop, rights);
  const other = await serveShop(open, unreadableChanged(rights), rights);
  try {
    for (const request of requests) {
      const call = toolOf(request);
      if (!call) continue;
      const answer = await agent.askTool(call);
      expect([call, answer.status === 403]).toEqual([call, !mayAsk(rights, request)]);
      expect([call, answer.status < 500]).toEqual([call, true]);
      if (answer.status === 403) seen.refused++;
      else if (answer.status === 200) seen.answered++;
      if (mayDiffer(rights, request)) continue;
      seen.compared++;
      expect([call, await other.askTool(call)]).toEqual([call, answer]);
    }
  } finally {
    await agent.close();
    await other.close();
  }
}

describe.each(engines)('the tools of an agent on %s', (_engine, open, numRuns) => {
  it('refuse what the REST API refuses, and never answer by what the caller cannot read', async () => {
    const seen: Seen = { refused: 0, answered: 0, compared: 0 };
    const requests = fc.array(requestArbitrary, { minLength: 20, maxLength: 20 });
    const property = fc.asyncProperty(rightsArbitrary, requests, (rights, drawn) =>
      compareAnswers(open, rights, drawn, seen),
    );
    await fc.assert(property, { numRuns });
    // A property that is never put to the test holds as well.
    expect(Math.min(seen.refused, seen.answered, seen.compared)).toBeGreaterThan(numRuns);
  });
});
