import { hash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Genesis, genesisHash, rowHashOf } from '#contracts/audit/chain';
import { signCheckpoint, verifierOf } from '#contracts/audit/signing';
import { verifyLog } from '#flows/audit/verify-audit-log';
import { canonicalJson } from '#kernel/json/canonical-json';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { verifyStore } from '#platform/audit/verify-store';
import { migrateSqlite } from '#platform/store/migrate-sqlite';
import { activityEntry } from '../contract/audit/audited-environment.ts';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { makeTailFolder } from '../helpers/log-tail.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** The store of version 0.1.0 had no register, no values beside its rows, and no segments. */
const firstVersion = 19;
const platformKey = 'ab'.repeat(32);
const key = deriveCheckpointKey(platformKey);
const publicKey = verifierOf(key).verifier;
const begun = Date.parse('2026-01-01T00:00:00.000Z');
/** The one of `startAuditApi`. */
const secretHash = hash('sha256', 'e5'.repeat(32));

interface FirstLog {
  readonly genesis: Genesis;
  /** Canonical JSON, with its hash and the one before it. */
  readonly rows: readonly { readonly body: string; readonly hash: string; readonly previousHash: string }[];
  readonly checkpoint: string;
}

/** The entries of a log as version 0.1.0 wrote them: what names a person is hashed. */
function firstLog(genesis: Genesis, entries: readonly object[]): FirstLog {
  const rowHash = rowHashOf(genesis.chain, 1);
  const rows: FirstLog['rows'][number][] = [];
  let previousHash = genesisHash(genesis);
  for (const [index, entry] of entries.entries()) {
    const createdAt = new Date(begun + index * 1_000).toISOString();
    const place = { chain: genesis.chain, sequence: index + 1, createdAt, recordedAt: createdAt, version: 1 };
    const body = canonicalJson({ ...entry, ...place });
    const own = rowHash(index + 1, previousHash, body);
    rows.push({ body, hash: own, previousHash });
    previousHash = own;
  }
  const at = new Date(begun + 60_000).toISOString();
  const head = { chain: genesis.chain, size: rows.length, hash: previousHash, at };
  return { genesis, rows, checkpoint: signCheckpoint(head, key) };
}

/** An export as version 0.1.0 wrote it: its first line has no format and no place. */
function firstExport({ genesis, rows, checkpoint }: FirstLog): string {
  const start = {
    object: 'start',
    genesis,
    after: 0,
    previousHash: genesisHash(genesis),
    filters: [],
    keys: [publicKey],
  };
  const [headSequence, headHash] = [rows.length, rows.at(-1)?.hash];
  const end = {
    object: 'end',
    cursor: 'c',
    count: headSequence,
    hasMore: false,
    headSequence,
    headHash,
    signedCheckpoint: checkpoint,
  };
  const lines = rows.map(
    (row) => `${row.body.slice(0, -1)},"hash":"${row.hash}","previousHash":"${row.previousHash}"}`,
  );
  return `${[JSON.stringify(start), ...lines, JSON.stringify(end)].join('\n')}\n`;
}

const named = { object: 'genesis', project: 'shop', createdAt: new Date(begun).toISOString() } as const;
const act = activityEntry({ status: 'pending', durationMs: null });
const acts = firstLog({ ...named, chain: crypto.randomUUID(), kind: 'activity', environment: 'development' }, [
  activityEntry(),
  act,
  { object: 'activityLogOutcome', id: act.id, actSequence: 2, status: 'completed', durationMs: 4 },
]);
const changes = firstLog({ ...named, chain: crypto.randomUUID(), kind: 'admin', environment: null }, [
  {
    ...{ object: 'adminLog', id: crypto.randomUUID(), type: 'add', initiator: 'administrator', user: act.user },
    ...{ address: '203.0.113.7', resource: 'team', newValue: { name: 'Support' } },
  },
]);

/** A store that version 0.1.0 left, which no newer one has opened. */
async function writeFirstStore(file: string): Promise<void> {
  const connection = await openSqlite(file);
  migrateSqlite(connection, file, firstVersion);
  connection.execute(`
    insert into projects values (1, 'shop', ${begun});
    insert into users values (1, 'Ada', 'Lovelace', 'ada@example.test', ${begun});
    insert into roles values (1, 1, 'Administrators');
    insert into members (project_id, user_id, role_id, permission_level) values (1, 1, 1, 'admin');
    insert into environments (id, project_id, name, type, secret_hash, created_at)
      values (1, 1, 'development', 'development', '${secretHash}', ${begun});
    insert into renderings values (1, 1, 'Operations');
    insert into audit_months values (202601)`);
  for (const [index, { genesis, rows, checkpoint }] of [acts, changes].entries()) {
    const head = [rows.length, rows.at(-1)?.hash ?? '', begun + (rows.length - 1) * 1_000, 202_601];
    connection.run(
      `insert into audit_chains (id, chain, kind, project_id, environment_id, genesis, first_sequence, head_sequence, head_hash, head_created_at, head_month)
       values (?, ?, ?, 1, ?, ?, 1, ?, ?, ?, ?)`,
      [
        index + 1,
        genesis.chain,
        genesis.kind,
        genesis.environment === null ? null : 1,
        canonicalJson(genesis),
        ...head,
      ],
    );
    connection.run('insert into audit_checkpoints values (?, ?, ?, ?)', [
      index + 1,
      rows.length,
      begun + 60_000,
      checkpoint,
    ]);
    for (const [at, row] of rows.entries()) {
      const entry = JSON.parse(row.body) as Record<string, unknown> & { readonly user?: { id: number; email: string } };
      const isOutcome = entry['object'] === 'activityLogOutcome';
      const kind = isOutcome ? 'status' : genesis.kind === 'admin' ? 'admin' : 'act';
      const name = (member: string) => (entry[member] as { readonly name: string } | undefined)?.name ?? null;
      const text = (member: string) => (entry[member] as string | undefined) ?? null;
      connection.run(
        `insert into audit_rows (chain_id, sequence, month, kind, id, part, created_at, type, action, initiator, user_id, user_email, team,
           collection, status, correlation_id, body, hash)
         values (?, ?, 202601, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          ...[index + 1, at + 1, kind, text('id'), isOutcome ? -1 : 0, begun + at * 1_000, text('type')],
          ...[text('action') ?? text('resource'), text('initiator'), entry.user?.id ?? null, entry.user?.email ?? null],
          ...[
            name('team'),
            name('collection'),
            isOutcome ? null : text('status'),
            text('correlationId'),
            row.body,
            row.hash,
          ],
        ],
      );
      for (const id of (entry['recordIds'] as readonly string[] | undefined) ?? []) {
        connection.run('insert into audit_records values (?, ?, ?, ?)', [index + 1, id, at + 1, name('collection')]);
      }
    }
  }
  connection.run('insert into audit_outcomes values (1, 2, ?, 3)', ['completed']);
  connection.close();
}

it('a log and an export of version 0.1.0 hold by themselves, and when the log goes on', async () => {
  const folder = await temporaryFolder();
  await makeTailFolder(folder);
  const at = (name: string) => path.join(folder, name);
  const storage = at('store.sqlite');
  await writeFirstStore(storage);
  await writeFile(at('acts.ndjson'), firstExport(acts));
  await writeFile(at('changes.ndjson'), firstExport(changes));
  // Of each log, those of the other one are set aside.
  await writeFile(at('platform.checkpoints'), `${[acts, changes].map(({ checkpoint }) => checkpoint).join('\n')}\n`);
  const anchored = { keys: [publicKey], anchors: ['platform.checkpoints'], witnesses: [] };
  const verifyFile = (file: string) => verifyLog(flowContext(folder), { folder, isAdmin: false, file, ...anchored });
  expect(await verifyFile('acts.ndjson')).toMatchObject({ outcome: 'holds', rows: 3 });
  expect(await verifyFile('changes.ndjson')).toMatchObject({ outcome: 'holds', rows: 1 });
  for (const [from, to] of [
    ['"recordIds":["7"]', '"recordIds":["8"]'],
    ['ada@example.test', 'bob@example.test'],
    ['"status":"completed"', '"status":"failed"'],
  ] as const) {
    await writeFile(at('changed.ndjson'), firstExport(acts).replace(from, to));
    await expect(verifyFile('changed.ndjson')).rejects.toMatchObject({ code: 'AUDIT_LOG_BROKEN' });
  }
  const cut = { ...acts, rows: acts.rows.slice(0, 2) };
  await writeFile(at('cut.ndjson'), firstExport(cut));
  await expect(verifyFile('cut.ndjson')).rejects.toMatchObject({ code: 'AUDIT_LOG_BROKEN' });

  const before = await verifyStore({ dialect: 'sqlite', storage }, { platformKey, anchors: [acts.checkpoint] });
  expect(before).toMatchObject({ logs: [{ outcome: 'holds' }, { outcome: 'holds' }], register: null });

  // What `audit verify` of version 0.1.0 kept.
  await mkdir(at('.vendor-cloud/audit'), { recursive: true });
  await writeFile(at(`.vendor-cloud/audit/${acts.genesis.chain}.checkpoint`), acts.checkpoint);
  const api = await startAuditApi({ store: `sqlite:${storage}`, checkpointFile: at('platform.checkpoints') });
  await api.report([activity(), activity()]);
  const context = {
    ...flowContext(folder),
    variables: { SERVICE_SERVER_URL: api.sandbox.url, SERVICE_AUTH_TOKEN: api.token },
  };
  const verify = (log: { readonly isAdmin: boolean; readonly environment?: string }) =>
    verifyLog(context, { folder, ...log, ...anchored });
  expect(await verify({ isAdmin: false })).toMatchObject({ outcome: 'holds', rows: 5, first: 1 });
  expect(await verify({ isAdmin: false, environment: 'development' })).toMatchObject({ outcome: 'holds', rows: 5 });
  const admin = await verify({ isAdmin: true });
  expect(admin).toMatchObject({ outcome: 'holds', first: 1 });
  expect(admin.rows).toBeGreaterThan(1);

  // Exports that follow one another, as `audit tail --to file:` writes them: the first one is of version 0.1.0.
  const log = '/environment/development/activity-logs/export';
  const [, cursor = ''] = /"object":"end","cursor":"([^"]+)"/.exec(await api.text(`${log}?max=3`)) ?? [];
  await writeFile(at('whole.ndjson'), await api.text(log));
  await writeFile(at('tail.ndjson'), firstExport(acts) + (await api.text(`${log}?after=${cursor}`)));
  for (const file of ['whole.ndjson', 'tail.ndjson']) {
    expect(await verifyFile(file)).toMatchObject({ outcome: 'holds', rows: 5 });
    const text = await readFile(at(file), 'utf8');
    await writeFile(at('changed.ndjson'), text.replace('"recordIds":["7"]', '"recordIds":["8"]'));
    await expect(verifyFile('changed.ndjson')).rejects.toMatchObject({ code: 'AUDIT_LOG_BROKEN' });
  }
  const { logs, register } = await verifyStore(
    { dialect: 'sqlite', storage },
    { platformKey, anchors: [acts.checkpoint] },
  );
  expect([...logs, register].map((verdict) => verdict?.problem ?? verdict?.outcome)).toEqual([
    'holds',
    'holds',
    'holds',
  ]);
});
