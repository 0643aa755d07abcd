import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import type { Bench } from '../bench-report.ts';
import { median, percentile, rounded } from '../statistics.ts';
import { type DeployedEnvironment, startDeployedEnvironment } from './deployed-environment.ts';

const hostCount = 2;
const clientsPerHost = 4;
/** Between two requests of one client: load, but not all that a host can do. */
const pauseMs = 10;
const betweenPushesMs = 1_500;
const target = '/customers?fields[customers]=first_name,revision&page[size]=15&timezone=UTC';

interface Tally {
  asked: number;
  failed: number;
  /** Revisions in the order in which they were seen first. */
  readonly revisions: Set<string>;
}

/** From `push` to both hosts serving, while people use them. */
export const benchDeploy: Bench = async ({ isQuick }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  try {
    const environment = await startDeployedEnvironment(folder, hostCount);
    try {
      return { name: 'deploy', figures: await measure(environment, isQuick ? 5 : 40) };
    } finally {
      await environment.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

async function measure(environment: DeployedEnvironment, pushes: number) {
  const ending = new AbortController();
  const tally: Tally = { asked: 0, failed: 0, revisions: new Set() };
  const load = environment.agents.flatMap((agent) =>
    Array.from({ length: clientsPerHost }, () => ask(agent, environment.token, ending.signal, tally)),
  );
  const millis: number[] = [];
  for (let revision = 1; revision <= pushes; revision++) {
    // Nobody pushes again at once.
    await pause(betweenPushesMs);
    const start = performance.now();
    await environment.push(`r${revision}`);
    millis.push(performance.now() - start);
  }
  ending.abort();
  await Promise.all(load);
  return {
    p50Ms: rounded(median(millis)),
    p95Ms: rounded(percentile(millis, 95)),
    maxMs: rounded(percentile(millis, 100)),
    pushes,
    requests: tally.asked,
    failed: tally.failed,
    revisionsSeen: tally.revisions.size,
  };
}

/** Ask over one kept-alive connection until `signal` ends it. Any answer but 200, and any broken connection, has failed. */
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
