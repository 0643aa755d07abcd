import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { verifyExport } from '#contracts/audit/verify-export';
import { activity } from '../../helpers/audit-api.ts';
import { eventually } from '../../helpers/eventually.ts';
import { usePostgresPair } from '../../helpers/postgres-pair.ts';
import { password } from '../../helpers/postgres-server.ts';
import { keys, type Running, start } from './start-platform-process.ts';

const pair = usePostgresPair();
const rounds = Number(process.env['FAILOVERS'] ?? 1);
/** How long after the promotion both platforms have to work again, in milliseconds. */
const backWithinMs = 10_000;
/** A request of a platform whose store is away ends by itself, in milliseconds. */
const deadlineMs = 30_000;

it(`two platforms on a pair of servers lose no acknowledged act in ${rounds} failovers, and both work again without a restart`, async () => {
  const { primary, standby } = pair.ports();
  const store = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${primary},127.0.0.1:${standby}/postgres`;
  const platforms = [await start(store), await start(store)];
  const acknowledged = platforms.map((): string[] => []);
  let longestMs = 0;
  let isOver = false;
  async function report({ client }: Running, acts: string[]): Promise<void> {
    while (!isOver) {
      const id = randomUUID();
      const startedAt = performance.now();
      try {
        await client.reportActivities([JSON.stringify(activity({ id }))]);
        acts.push(id);
      } catch (error) {
        expect((error as { readonly code: string }).code).toMatch(/^PLATFORM_/);
        await pause(50);
      }
      longestMs = Math.max(longestMs, performance.now() - startedAt);
    }
  }
  const reporting = platforms.map((platform, place) => report(platform, acknowledged[place] ?? []));
  const counts = () => acknowledged.map((acts) => acts.length);
  const allGrow = async (interval: number) => {
    const before = counts();
    await expect.poll(() => counts().every((count, place) => count > (before[place] ?? 0)), { interval }).toBe(true);
  };
  for (let round = 0; round < rounds; round++) {
    await allGrow(50);
    await pair.killPrimary();
    await pair.promote();
    const promotedAt = performance.now();
    await allGrow(20);
    expect(performance.now() - promotedAt).toBeLessThan(backWithinMs);
    await pair.addStandby();
  }
  isOver = true;
  await Promise.all(reporting);
  expect(longestMs).toBeLessThan(deadlineMs);
  // The platform that came last has given the person a new token.
  const lines = (await platforms.at(-1)?.exportLog('environment/development/activity-logs')) ?? [];
  expect(await verifyExport(lines, { keys })).toMatchObject({ outcome: 'holds', problem: null, missing: [] });
  const exported = new Set(lines.map((line) => (JSON.parse(line) as { readonly id?: string }).id));
  expect(acknowledged.flat().filter((id) => !exported.has(id))).toEqual([]);
});

it('a standby that lags when it is promoted has every act that a platform has acknowledged', async () => {
  const { primary, standby } = pair.ports();
  const login = `postgres:${encodeURIComponent(password)}`;
  const { client, exportLog } = await start(`postgres://${login}@127.0.0.1:${primary},127.0.0.1:${standby}/postgres`);
  const report = (id: string) => client.reportActivities([JSON.stringify(activity({ id }))]);
  await pair.execute(standby, 'select pg_wal_replay_pause()');
  const ids = Array.from({ length: 20 }, () => randomUUID());
  for (const id of ids) await report(id);
  const [state] = await pair.execute(
    standby,
    'select pg_last_wal_replay_lsn() < pg_last_wal_receive_lsn() as "isBehind"',
  );
  expect(state).toEqual({ isBehind: true });
  await pair.killPrimary();
  await pair.execute(standby, 'select pg_wal_replay_resume()');
  await pair.promote();
  await eventually(() => report(randomUUID()));
  const lines = await exportLog('environment/development/activity-logs');
  expect(await verifyExport(lines, { keys })).toMatchObject({ outcome: 'holds', problem: null, missing: [] });
  const exported = new Set(lines.map((line) => (JSON.parse(line) as { readonly id?: string }).id));
  expect(ids.filter((id) => !exported.has(id))).toEqual([]);
});
