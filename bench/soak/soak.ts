import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench-report.ts';
import { breakOff, holdSlowly } from '../hostile/slow-clients.ts';
import { type BenchPostgres, startPostgres } from '../postgres.ts';
import { type ServedProject, serveProject } from '../reload/serve-project.ts';
import { rssMb } from '../reload/settled-rss.ts';
import { median, percentile, rounded } from '../statistics.ts';
import { askHonestly, orderCount, type Tally } from './honest-load.ts';
import { soakSource } from './soak-source.ts';

const honestClients = 6;
const slowConnections = 300;
const saveEveryMs = 5_000;
const killEveryMs = 7_000;
const sampleEveryMs = 2_000;
/** What a request meets whose connection to the database was just killed while it wrote. */
const ofKilledBackend = /DATABASE_UNREACHABLE|DATABASE_BUSY/;

/**
 * Ten minutes of honest load on a served project, while others hold connections open, send broken requests, kill the
 * connections of the database, and save the code. `--quick` takes one minute.
 */
export const benchSoak: Bench = async ({ isQuick }) => {
  const minutes = isQuick ? 1 : 10;
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-soak-'));
  const postgres = await startPostgres(folder);
  try {
    await postgres.execute([
      'create table orders (id serial primary key, ref text not null, status text, total int)',
      `insert into orders (ref, status, total) select 'ref-' || n, 'open', n from generate_series(1, ${orderCount}) n`,
      'analyze',
    ]);
    const served = await serveProject(folder, ['--uri', postgres.uri], soakSource('r0'));
    try {
      return { name: 'soak', figures: await soak(served, postgres, minutes * 60_000) };
    } finally {
      await served.stop();
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

async function soak(served: ServedProject, postgres: BenchPostgres, lengthMs: number) {
  const signal = AbortSignal.timeout(lengthMs);
  const url = new URL(served.agent.url);
  const tally: Tally = { millis: [], refused: new Map() };
  const memory: number[] = [];
  let saves = 0;
  let kills = 0;
  const work = [
    ...Array.from({ length: honestClients }, () => askHonestly(served.agent, signal, tally)),
    holdSlowly(url, slowConnections, signal),
    breakOff(url, signal),
    every(saveEveryMs, signal, () => writeFile(served.entry, soakSource(`r${++saves}`))),
    every(killEveryMs, signal, async () => {
      kills++;
      await postgres.execute([
        "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
      ]);
    }),
    every(sampleEveryMs, signal, async () => void memory.push(await rssMb(served.pid))),
  ];
  await Promise.all(work);
  for (const [answer, times] of tally.refused) console.error(`${times} × ${answer}`);
  for (const error of served.errors()) console.error(JSON.stringify(error));
  const refused = [...tally.refused].map(([answer, times]) => ({ times, isOfKill: ofKilledBackend.test(answer) }));
  const sum = (some: typeof refused) => some.reduce((all, { times }) => all + times, 0);
  const third = Math.ceil(memory.length / 3);
  return {
    requests: tally.millis.length,
    p50Ms: rounded(median(tally.millis)),
    p99Ms: rounded(percentile(tally.millis, 99)),
    maxMs: rounded(percentile(tally.millis, 100)),
    saves,
    kills,
    lostToKills: sum(refused.filter(({ isOfKill }) => isOfKill)),
    refused: sum(refused.filter(({ isOfKill }) => !isOfKill)),
    errors: served.errors().length,
    rssMb: rounded(median(memory.slice(-third))),
    growthMb: rounded(median(memory.slice(-third)) - median(memory.slice(third, 2 * third))),
  };
}

async function every(millis: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await pause(millis);
    await work();
  }
}
