import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { findChain } from '#platform/audit/audit-chains';
import { registerChain } from '#platform/audit/register';
import { openStore } from '#platform/store/open-store';
import type { Bench } from '../bench-report.ts';
import { startPostgres } from '../postgres.ts';
import { rounded } from '../statistics.ts';
import { genesis } from './fill-log.ts';
import { fillPostgres } from './fill-postgres.ts';
import { fillSqlite } from './fill-sqlite.ts';
import { measureLog } from './measure-log.ts';
import { measureRetention } from './measure-retention.ts';
import { measureSegments } from './measure-segments.ts';
import { startPlatform } from './start-platform.ts';

/**
 * The audit log over HTTP, on SQLite with 10 million rows and on PostgreSQL with 5 million: pages at random depths with random
 * filters, what agents report, a whole export and its verification. `--quick`: a million rows on SQLite only. `--size 100m`: that many on
 * PostgreSQL beside a million.
 */
export const benchAudit: Bench = async ({ isQuick, size }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-audit-'));
  try {
    if (size !== undefined) return { name: 'audit-size', figures: await measureSize(folder, size) };
    const file = path.join(folder, 'platform.sqlite');
    const fill = (environmentId: number, projectId: number) =>
      fillSqlite(file, environmentId, projectId, isQuick ? 1_000_000 : 10_000_000);
    const sqlite = await measureStore(`sqlite:${file}`, fill);
    await rm(file, { force: true });
    if (isQuick) return { name: 'audit', figures: sqlite };
    console.error(`SQLite: ${JSON.stringify(sqlite)}`);
    const postgres = await startPostgres(folder, { isDurable: true });
    try {
      const fillOther = async (environmentId: number, projectId: number) => {
        await fillPostgres(postgres.uri, environmentId, projectId, 5_000_000);
        // A log that grew over a year was vacuumed on the way.
        await postgres.execute(['vacuum (analyze)']);
      };
      const figures = Object.entries(await measureStore(postgres.uri, fillOther));
      const named = figures.map(([name, value]) => [`postgres.${name}`, value] as const);
      return { name: 'audit', figures: { ...sqlite, ...Object.fromEntries(named) } };
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const referenceSize = 1_000_000;

/** A large log on PostgreSQL, and how its figures compare with those of a million rows. */
async function measureSize(folder: string, size: number): Promise<Record<string, number>> {
  const postgres = await startPostgres(folder, { isDurable: true });
  try {
    const measure = async (name: string, count: number) => {
      await postgres.execute([`create database ${name}`]);
      const store = postgres.uri.replace(/[^/]+$/, name);
      const figures = await measureStore(store, (environmentId, projectId) =>
        fillPostgres(store, environmentId, projectId, count),
      );
      const all = { ...figures, ...(await measureRetention(store)) };
      console.error(`${count} rows: ${JSON.stringify(all)}`);
      return all;
    };
    const reference = await measure('reference', referenceSize);
    const large = await measure('large', size);
    const ratios = ['listP99Ms', 'recordP99Ms', 'personP99Ms', 'listRssMb', 'ingestRssMb', 'ingestRowsPerSecond'].map(
      (name) => [`${name}.ratio`, rounded((large[name] ?? 0) / (reference[name] ?? 0))] as const,
    );
    return { rows: size, ...large, ...Object.fromEntries(ratios) };
  } finally {
    await postgres.stop();
  }
}

/** Fill a store while no platform uses it, then measure one that does. */
async function measureStore(
  store: string,
  fill: (environmentId: number, projectId: number) => Promise<void>,
): Promise<Record<string, number>> {
  const empty = await startPlatform(store);
  await empty.stop();
  const begun = performance.now();
  // The first project and its first environment.
  await fill(1, 1);
  await registerFilled(store);
  const fillSeconds = (performance.now() - begun) / 1000;
  const platform = await startPlatform(store);
  try {
    const segments = await measureSegments(platform);
    const figures = { ...(await measureLog(platform)), ...segments, fillSeconds };
    return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)]));
  } finally {
    await platform.stop();
  }
}

/** A log that was written past the platform is not in its register. */
export async function registerFilled(address: string): Promise<void> {
  const store = await openStore(address);
  try {
    const chain = await findChain(store.db, { kind: 'activity', environmentId: 1 });
    if (!chain) throw new Error('There is no log.');
    const { project, environment } = genesis;
    const parts = { clock: systemClock, random: systemRandom };
    await store.transaction((transaction) => registerChain(transaction, { ...chain, project, environment }, parts));
  } finally {
    await store.close();
  }
}
