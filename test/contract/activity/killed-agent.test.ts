import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Activity } from '#contracts/activity';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { eventuallyTrue } from '../../helpers/eventually.ts';
import { type CallResult, call, type RestAddress } from '../../helpers/rest-call.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { startUnreliablePlatform, type UnreliablePlatform } from './unreliable-platform.ts';

const program = fileURLToPath(new URL('agent-process.ts', import.meta.url));
/** `npm run test:kill` asks for more. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
/** A round takes a second on a machine with two cores that does nothing else. */
const timeoutMs = Math.max(15 * 60_000, rounds * 60_000);
const writers = 4;
const recordsPerRound = 5_000;
const recordsOfDeletion = 1_500;

interface Running extends RestAddress {
  readonly child: ReturnType<typeof prepare>;
}

/** Whether the agent records a write before it begins, or before it is answered. */
type Mode = 'required' | 'default';

/** A process that has loaded its modules, or is about to. */
function prepare(folder: string, { url }: UnreliablePlatform, mode: Mode) {
  const command = ['--conditions=vendor-source', program, folder, url, mode];
  return spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function start(child: ReturnType<typeof prepare>): Promise<Running> {
  child.stdin.write('start\n');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, ...(JSON.parse(line) as RestAddress) };
}

/** What the agent said yes to. */
interface Acknowledged {
  readonly updated: Set<string>;
  readonly deletions: Set<string>;
}

/** A request whose agent may be killed meanwhile; `undefined` then. A full outbox refuses writes: this platform takes reports slowly. */
async function tried(asked: Promise<CallResult>): Promise<CallResult | undefined> {
  const result = await asked.catch(() => undefined);
  if (result && !isRefused(result)) expect(result.status, result.text).toBeLessThan(300);
  return result;
}

function isRefused({ status, text }: CallResult): boolean {
  return status === 503 && text.includes('ACTIVITY_NOT_RECORDED');
}

/** Change one record after the other until the agent is gone. */
async function updateUntilKilled(running: Running, ids: Iterator<number>, { updated }: Acknowledged): Promise<void> {
  for (;;) {
    const id = String(ids.next().value);
    const body = { data: { attributes: { state: 'changed' } } };
    const result = await tried(call(running, `/items/${id}`, { method: 'PUT', body }));
    if (!result) return;
    if (isRefused(result)) await pause(100);
    else updated.add(id);
  }
}

/** Delete all records of a batch at once. */
async function deleteBatch(running: Running, batch: string, { deletions }: Acknowledged): Promise<void> {
  const filters = JSON.stringify({ field: 'batch', operator: 'equal', value: batch });
  const body = { data: { attributes: { all_records: true, all_records_ids_excluded: [] } } };
  const result = await tried(call(running, `/items?filters=${filters}`, { method: 'DELETE', body }));
  if (result && !isRefused(result)) deletions.add(batch);
}

/** The leases of an agent that is gone run out. */
async function expireLeases(folder: string): Promise<void> {
  const outbox = path.join(folder, '.service-activity');
  const names = await readdir(outbox, { recursive: true });
  const leases = names.filter((name) => path.basename(name) === 'lease');
  await Promise.all(leases.map((name) => writeFile(path.join(outbox, name), '0')));
}

async function createItems(folder: string): Promise<void> {
  const connection = await openSqlite(path.join(folder, 'shop.sqlite'));
  connection.execute(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE items (id INTEGER PRIMARY KEY, state TEXT NOT NULL, batch TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${recordsPerRound * rounds})
      INSERT INTO items SELECT i, 'new', NULL FROM n;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${recordsOfDeletion * rounds - 1})
      INSERT INTO items SELECT 10000000 + i, 'new', 'b' || (i / ${recordsOfDeletion}) FROM n;`);
  connection.close();
}

/** What the database says was written. */
async function writtenItems(folder: string): Promise<{ readonly updated: string[]; readonly deleted: string[] }> {
  const connection = await openSqlite(path.join(folder, 'shop.sqlite'), { isReadOnly: true });
  const idsWhere = (where: string) => connection.all(`SELECT id FROM items WHERE ${where}`).map(({ id }) => String(id));
  const left = new Set(idsWhere('batch IS NOT NULL'));
  const all = Array.from({ length: recordsOfDeletion * rounds }, (_, index) => String(10_000_000 + index));
  const updated = idsWhere("state = 'changed'");
  connection.close();
  return { updated, deleted: all.filter((id) => !left.has(id)) };
}

/** The reports about each record, by its id, with what continues them. */
function reportsByRecord({ entries }: UnreliablePlatform): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const entry of entries.values()) {
    const { id } = entry;
    for (const recordId of 'recordIds' in entry ? entry.recordIds : [])
      found.set(recordId, (found.get(recordId) ?? new Set()).add(id));
  }
  return found;
}

it.each([
  ['required', 'each write once'],
  ['default', 'each write that it has answered once'],
] as const)(
  `an agent that is killed ${rounds} times and whose records are %s reports %s`,
  { tags: 'long', timeout: timeoutMs },
  async (mode, _what) => {
    const folder = await temporaryFolder();
    await createItems(folder);
    const platform = await startUnreliablePlatform();
    const acknowledged: Acknowledged = { updated: new Set(), deletions: new Set() };
    const ids = Array.from({ length: recordsPerRound * rounds }, (_, index) => index + 1).values();
    let running = await start(prepare(folder, platform, mode));
    for (let round = 0; round < rounds; round++) {
      const writing = Array.from({ length: writers }, () => updateUntilKilled(running, ids, acknowledged));
      const next = prepare(folder, platform, mode);
      const deleting = pause(Math.random() * 300).then(() => deleteBatch(running, `b${round}`, acknowledged));
      // On a busy machine the first writes take longer than any pause.
      const enough = acknowledged.updated.size + writers + 1;
      await eventuallyTrue(() => acknowledged.updated.size >= enough);
      await pause(Math.random() * 700);
      running.child.kill('SIGKILL');
      await Promise.all([once(running.child, 'exit'), ...writing, deleting]);
      await expireLeases(folder);
      running = await start(next);
    }
    // A slow machine may have reported nothing until now.
    await eventuallyTrue(() => platform.repeated > 0);
    platform.isUnreliable = false;
    running.child.stdin.end();
    await once(running.child, 'exit');

    const reports = reportsByRecord(platform);
    const { updated, deleted } = await writtenItems(folder);
    expect([...acknowledged.updated].filter((id) => reports.get(id)?.size !== 1)).toEqual([]);
    // Nothing was written without a report, whether anybody heard of it or not.
    if (mode === 'required') expect(updated.filter((id) => reports.get(id)?.size !== 1)).toEqual([]);
    expect(deleted.filter((id) => (reports.get(id)?.size ?? 0) > 1)).toEqual([]);
    const deletions = [...platform.entries.values()].filter(
      (entry): entry is Activity => 'action' in entry && entry.action === 'delete',
    );
    expect(deletions.length).toBeGreaterThanOrEqual(acknowledged.deletions.size);
    expect(deletions.length).toBeLessThanOrEqual(rounds);
    for (const { id, status, recordCount } of deletions) {
      const parts = [...platform.entries.values()].filter((entry) => entry.id === id);
      const named = parts.flatMap((entry) => ('recordIds' in entry ? entry.recordIds : []));
      if (status === 'completed') expect(named).toHaveLength(recordCount ?? -1);
    }
    for (const batch of acknowledged.deletions) {
      const first = 10_000_000 + Number(batch.slice(1)) * recordsOfDeletion;
      const batchIds = Array.from({ length: recordsOfDeletion }, (_, index) => String(first + index));
      expect(batchIds.filter((id) => reports.get(id)?.size !== 1)).toEqual([]);
    }
    expect(acknowledged.updated.size).toBeGreaterThan(rounds * writers);
    expect((await readdir(path.join(folder, '.service-activity'), { recursive: true })).length).toBe(2);
  },
);
