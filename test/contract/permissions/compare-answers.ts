import { expect } from 'vitest';
import type { OpenTables } from '../data-source/opened.ts';
import { mayAsk, mayDiffer } from './oracle.ts';
import type { ShopRequest } from './requests.ts';
import { type Rights, unreadableChanged } from './rights.ts';
import { type Answer, serveShop } from './shop-agent.ts';
import { shop } from './shop-data.ts';

type ServedShop = Awaited<ReturnType<typeof serveShop>>;

/** Ask an agent; `undefined` where a request cannot be asked in that way. */
export type Ask = (agent: ServedShop, request: ShopRequest) => Promise<Answer> | undefined;

/** How many requests were refused, answered, and answered the same whatever nobody may read. */
export interface Seen {
  refused: number;
  answered: number;
  compared: number;
}

/** Counters for a property, which holds as well when it is never put to the test. */
export function nothingSeen(): Seen {
  return { refused: 0, answered: 0, compared: 0 };
}

/** Ask an agent, and another one on data in which everything differs that the caller cannot read. */
export async function compareAnswers(
  open: OpenTables,
  rights: Rights,
  requests: readonly ShopRequest[],
  ask: Ask,
  seen: Seen,
): Promise<void> {
  const agent = await serveShop(open, shop, rights);
  const other = await serveShop(open, unreadableChanged(rights), rights);
  try {
    for (const request of requests) {
      const answer = await ask(agent, request);
      if (!answer) continue;
      expect([request, answer.status === 403]).toEqual([request, !mayAsk(rights, request)]);
      expect([request, answer.status < 500]).toEqual([request, true]);
      if (answer.status === 403) seen.refused++;
      else if (answer.status === 200) seen.answered++;
      if (mayDiffer(rights, request)) continue;
      seen.compared++;
      expect([request, await ask(other, request)]).toEqual([request, answer]);
    }
  } finally {
    await agent.close();
    await other.close();
  }
}
