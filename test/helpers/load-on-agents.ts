import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import type { DeployedEnvironment } from './deployed-environment.ts';

const clientsPerHost = 4;
/** Between two requests of one client: load, but not all that a host can do. */
const pauseMs = 10;
const target = '/customers?fields[customers]=first_name,revision&page[size]=15&timezone=UTC';

/** What clients met. */
export interface Tally {
  asked: number;
  /** Answers but 200, and broken connections. */
  failed: number;
  readonly revisions: Set<string>;
}

/** Ask every host over connections that stay open until `signal` ends it; resolves then. */
export async function loadOnAgents(
  { agents, token }: Pick<DeployedEnvironment, 'agents' | 'token'>,
  signal: AbortSignal,
): Promise<Tally> {
  const tally: Tally = { asked: 0, failed: 0, revisions: new Set() };
  const clients = agents.flatMap((agent) =>
    Array.from({ length: clientsPerHost }, () => ask(agent, token, signal, tally)),
  );
  await Promise.all(clients);
  return tally;
}

/** Ask over one kept-alive connection until `signal` ends it.  */
async function ask(agent: string, token: string, signal: AbortSignal, tally: Tally): Promise<void> {
  const { origin, pathname } = new URL(agent);
  const client = new Client(origin);
  const headers = { authorization: `Bearer ${token}` };
  while (!signal.aborted) {
    tally.asked++;
    try {
      const { statusCode, body } = await client.request({ method: 'GET', path: pathname + target, headers });
      const text = await body.text();
      if (statusCode !== 200) tally.failed++;
      for (const [, revision = ''] of text.matchAll(/"revision":"(r\d+)"/g)) tally.revisions.add(revision);
    } catch {
      tally.failed++;
    }
    await pause(pauseMs);
  }
  await client.close();
}
