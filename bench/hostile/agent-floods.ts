import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { request } from 'undici';
import { mcpScopes } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { startPostgres } from '../postgres.ts';
import { startPlatform, stranger } from '../rest/platform.ts';
import { authSecret, caller, startAgent } from '../rest/start-agent.ts';
import { variedAddresses, variedScenarios } from '../rest/varied.ts';
import { holdSlowly } from './slow-clients.ts';
import { flooded, type Stops, type Subject, type Tally } from './subject.ts';

const honestClients = 6;
const hostileClients = 8;
/** The longest search that the agent takes. */
const longestSearch = 256;

/** An agent of 50,000 customers and 200,000 orders in PostgreSQL, and somebody with a token of it who does harm. */
export async function openAgentSubject(folder: string, stops: Stops): Promise<Subject> {
  const postgres = await startPostgres(folder);
  stops.push(() => postgres.stop());
  await postgres.execute([await readFile(path.join(import.meta.dirname, '../rest/shop.sql'), 'utf8')]);
  const platform = await startPlatform();
  stops.push(() => platform.stop());
  const { base, headers } = await startAgent(postgres.uri, platform.url, folder, stops, {
    DEFAULT_LIMITS: 'yes',
    IS_SILENT: 'yes',
  });
  const claims = { ...caller, ...stranger };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(authSecret));
  const mcpUrl = `${new URL(base).origin}/mcp`;
  const mcpToken = await createMcpTokens(authSecret, systemClock, systemRandom, () => false).issue(
    claims,
    mcpUrl,
    mcpScopes,
  );
  const get = async (target: string, signal: AbortSignal) => {
    const answer = await request(base + target, { headers: { authorization: `Bearer ${token}` }, signal });
    await answer.body.dump({ limit: Number.POSITIVE_INFINITY, signal });
  };
  const text = 'a'.repeat(longestSearch);
  const orders = 'fields[orders]=id,status,total,placed_at,notes';
  const aggregate = {
    collectionName: 'orders',
    aggregation: { operation: 'Count', groups: [{ field: 'customer_id' }] },
  };

  return {
    name: 'agent',
    honest: async (signal, tally) => {
      await Promise.all(
        Array.from({ length: honestClients }, (_none, client) => askHonestly(base, headers, client, signal, tally)),
      );
    },
    floods: {
      longSearch: (signal) =>
        flooded(hostileClients, signal, () =>
          get(`/orders?${orders}&search=${text}&searchExtended=1&timezone=UTC`, signal),
        ),
      export: (signal) =>
        flooded(hostileClients, signal, () =>
          get(`/orders.csv?${orders}&header=Id,Status,Total,At,Notes&timezone=UTC`, signal),
        ),
      mcp: (signal) =>
        flooded(hostileClients, signal, async () => {
          const params = { name: 'aggregate', arguments: aggregate };
          const answer = await request(mcpUrl, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${mcpToken}`,
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
            },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
            signal,
          });
          await answer.body.dump({ limit: Number.POSITIVE_INFINITY, signal });
        }),
      slowBodies: async (signal) => {
        await holdSlowly(new URL(base), 300, signal);
        return 300;
      },
    },
  };
}

async function askHonestly(
  base: string,
  headers: Readonly<Record<string, string>>,
  client: number,
  signal: AbortSignal,
  tally: Tally,
): Promise<void> {
  const targets = variedScenarios.map((scenario) => variedAddresses(scenario, client));
  for (let turn = 0; !signal.aborted; turn++) {
    const addresses = targets[turn % targets.length] ?? [];
    const begun = performance.now();
    try {
      const answer = await request(base + addresses[turn % addresses.length], { headers });
      await answer.body.text();
      tally.millis.push(performance.now() - begun);
      if (answer.statusCode !== 200) tally.refused.push(String(answer.statusCode));
    } catch (error) {
      tally.refused.push(String(error));
    }
    await pause(5 + Math.random() * 10);
  }
}
