import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { silentLogger } from '#kernel/ports/logger';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { followPlatformEvents } from '#platform-client/event-stream';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import { startSandbox } from '#sandbox/index';
import type { Bench } from '../bench-report.ts';
import { startPostgres } from '../postgres.ts';
import { median, percentile, rounded } from '../statistics.ts';
import { type BareEvents, startBareEvents } from './bare-events.ts';

const agents = 1_000;
const envSecret = 'e'.repeat(64);
const pollMs = 5;

/**
 * From a change of rights to the last acknowledgement of 1,000 connected agents, on one process of the platform with PostgreSQL.
 * The agents listen as real ones do, in this same process, which makes the figures worse than they are. The bare server of events beside it
 * has its clients in this process as well.
 */
export const benchEvents: Bench = async ({ isQuick }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-events-'));
  const postgres = await startPostgres(folder);
  const sandbox = await startSandbox({
    store: postgres.uri,
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
  const http = createHttp({ clock: systemClock, random: systemRandom });
  const bare = await startBareEvents(agents);
  const subscriptions: { close(): void }[] = [];
  try {
    const user = { name: 'Ada', email: 'ada@example.test' };
    const { userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
    const client = createPlatformClient({ serverUrl: sandbox.url, http, credentials: { userToken } });
    const connected = Array.from({ length: agents }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let isConnected = false;
      subscriptions.push(
        followPlatformEvents(
          { serverUrl: sandbox.url, envSecret, http, random: systemRandom },
          {
            connected: () => {
              isConnected = true;
              resolve();
            },
            resumed: () => undefined,
            received: () => undefined,
            // A thousand at once are more than a queue of connections takes: an agent that was turned away comes again.
            disconnected: (error) => {
              if (isConnected) throw error;
            },
          },
        ),
      );
      return promise;
    });
    const connectMs = await timed(() => Promise.all(connected));
    // The store is asked while they acknowledge: the list of a thousand agents would be most of the work.
    const allKnow = async (): Promise<void> => {
      const { newestEvent } = await client.agents();
      while ((await postgres.count(`vendor_cloud.agents where acknowledged >= ${newestEvent}`)) < agents)
        await pause(pollMs);
      const list = await client.agents();
      if (list.agents.length !== agents) throw new Error(`${list.agents.length} agents are connected.`);
      if (list.agents.some(({ lag }) => lag > 0)) throw new Error('An agent has not acknowledged what the store says.');
    };
    await allKnow();
    const { samples, bareSamples } = await measure(client, allKnow, bare, isQuick ? 10 : 50);
    return {
      name: 'events',
      figures: {
        agents,
        connectSeconds: rounded(connectMs / 1000),
        lastAckP50Ms: rounded(percentile(samples, 50)),
        lastAckP95Ms: rounded(percentile(samples, 95)),
        bareP50Ms: rounded(percentile(bareSamples, 50)),
        ratio: rounded(median(samples) / median(bareSamples)),
      },
    };
  } finally {
    for (const subscription of subscriptions) subscription.close();
    await bare.stop();
    await http.close();
    await sandbox.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Each change of rights beside one of the bare server. */
async function measure(
  client: Pick<PlatformClient, 'replaceRights'>,
  allKnow: () => Promise<void>,
  bare: BareEvents,
  changes: number,
) {
  const samples: number[] = [];
  const bareSamples: number[] = [];
  for (let change = 0; change < changes; change++) {
    const support = { collections: { orders: { browse: change % 2 === 0 } } };
    const document = { roles: { Administrators: { collections: { '*': { browse: true } } }, support } };
    bareSamples.push(await timed(() => bare.change()));
    samples.push(
      await timed(async () => {
        const { revision } = await client.replaceRights({ document, base: change, allowUnknown: true });
        if (revision !== change + 1) throw new Error(`The change made revision ${revision}.`);
        await allKnow();
      }),
    );
  }
  return { samples, bareSamples };
}
