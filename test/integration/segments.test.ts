import { execFile, spawnSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { genesisHash, type RegisterGenesis, rowHashOf } from '#contracts/audit/chain';
import { readSegment } from '#contracts/audit/segment';
import { cosign, cosignerKeyOf, cosignerOf, verifierOf } from '#contracts/audit/signing';
import { verifyExport } from '#contracts/audit/verify-export';
import { verifySegment } from '#contracts/audit/verify-segment';
import { cosignLogs } from '#flows/audit/cosign/cosign-logs';
import { proveRow, verifyProof } from '#flows/audit/row-proofs';
import { exportSegment, listSegments } from '#flows/audit/segments';
import { verifyLog } from '#flows/audit/verify-audit-log';
import { verifyStore as verifyStoreLogs } from '#flows/platform/verify-store-logs';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { verifyStore } from '#platform/audit/verify-store';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { makeTailFolder } from '../helpers/log-tail.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const execute = promisify(execFile);
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
const withoutPython = hasPython ? '' : ' (not by the second verifier: apt-get install python3 python3-cryptography)';
const platformKey = 'ab'.repeat(32);
const publicKey = verifierOf(deriveCheckpointKey(platformKey)).verifier;
const month = new Date().toISOString().slice(0, 7);
const hourMs = 60 * 60_000;

/** A platform with some rows, and what commands of a project and of a second machine are called with. */
async function start(rows: number) {
  const folder = await temporaryFolder();
  await makeTailFolder(folder);
  const storage = path.join(folder, 'store.sqlite');
  const api = await startAuditApi({ store: `sqlite:${storage}` });
  const report = async (count: number) => {
    const acts = Array.from({ length: count }, () => activity());
    for (let from = 0; from < count; from += 500) await api.report(acts.slice(from, from + 500));
    return acts.map(({ id }) => id);
  };
  const variables = { SERVICE_SERVER_URL: api.sandbox.url, SERVICE_AUTH_TOKEN: api.token };
  const contextAt = (lateMs = 0) => {
    const context = { ...flowContext(folder), variables };
    return { ...context, clock: { ...context.clock, now: () => Date.now() + lateMs } };
  };
  const log = { folder, isAdmin: false };
  const witnessed = {
    ...{ folder, state: 'witness.state', key: 'witness.key', name: 'witness.example' },
    platformKeys: [publicKey],
  };
  return {
    ...{ ...api, folder, storage, contextAt, log },
    append: report,
    ids: await report(rows),
    cosign: () => cosignLogs(contextAt(), witnessed),
    verify: (witnesses: readonly string[], lateMs = 0) =>
      verifyLog(contextAt(lateMs), { ...log, keys: [publicKey], anchors: [], witnesses }),
    /** Do something to the store while the platform runs. */
    attack: async (...statements: readonly string[]) => {
      const connection = await openSqlite(storage);
      const triggers = connection.all("select name from sqlite_schema where type = 'trigger'");
      for (const { name } of triggers) connection.execute(`drop trigger ${String(name)}`);
      for (const statement of statements) connection.execute(statement);
      connection.close();
    },
  };
}

async function stateOf(folder: string): Promise<readonly string[]> {
  const text = await readFile(path.join(folder, 'witness.state'), 'utf8');
  return text.split(/\n\n(?=vendor-cloud)/).map((note) => `${note.trim()}\n`);
}

interface SecondCheck {
  readonly folder: string;
  /** File of what the machine has signed. */
  readonly state: string;
  readonly cosigner: string;
  readonly file: string;
}

/** What the verifier in Python says of an export that a machine must have signed. */
async function secondOutcome({ folder, state, cosigner, file }: SecondCheck): Promise<string> {
  const verifier = path.resolve(import.meta.dirname, '../fixtures/audit/verify.py');
  const options = ['--anchors', path.join(folder, state), '--witness', cosigner];
  const { stdout } = await execute('python3', [verifier, ...options, publicKey, path.join(folder, file)]);
  return (JSON.parse(stdout) as { readonly outcome: string }).outcome;
}

/** What writes the register again with another row, or under another id, so that all its hashes fit. */
async function registerAgain(storage: string, chain?: string): Promise<readonly string[]> {
  const connection = await openSqlite(storage);
  const rows = connection.all('select body from audit_register order by sequence').map(({ body }) => String(body));
  connection.close();
  const [genesis = '', ...others] = rows;
  const { chain: before } = JSON.parse(genesis) as RegisterGenesis;
  const id = chain ?? before;
  const begin = genesis.replaceAll(before, id);
  const rowHash = rowHashOf(id, 1);
  let hash = genesisHash(JSON.parse(begin) as RegisterGenesis);
  const written = [`update audit_register set body = '${begin}', hash = '${hash}' where sequence = 0`];
  for (const [index, row] of others.entries()) {
    const sequence = index + 1;
    const body = row.replaceAll(before, id).replace('"recordedAt":"2', '"recordedAt":"1');
    hash = rowHash(sequence, hash, body);
    written.push(`update audit_register set body = '${body}', hash = '${hash}' where sequence = ${sequence}`);
  }
  return [...written, 'delete from audit_register_checkpoints'];
}

describe('segments', () => {
  it('are listed, exported by month, and verified without other rows', { tags: 'long' }, async () => {
    const { contextAt, log, folder } = await start(5_300);
    const { segments } = await listSegments(contextAt(), log);
    expect(segments).toMatchObject([
      { month, first: 1, last: 5_300, size: 5_300, note: null, isKept: true, cosigned: [] },
    ]);
    const exported = await exportSegment(contextAt(), { ...log, month, file: 'month.ndjson' });
    expect(exported).toMatchObject({ rows: 5_300, isGrowing: true });
    const lines = (await readFile(path.join(folder, 'month.ndjson'), 'utf8')).split('\n');
    const options = { keys: [{ verifier: publicKey }], anchors: [] };
    expect(await verifySegment(lines, options)).toMatchObject({ outcome: 'holds', first: 1, last: 5_300 });
    const damages: readonly (readonly [readonly string[], string])[] = [
      [lines.toSpliced(9, 1), 'broken'],
      [lines.toSpliced(1, 1), 'broken'],
      [lines.with(9, lines[9]?.replace('orders', 'order5') ?? ''), 'broken'],
      [lines.with(9, lines[10] ?? '').with(10, lines[9] ?? ''), 'broken'],
      [lines.with(0, lines[0]?.replace('last 5300', 'last 5301') ?? ''), 'broken'],
      [[...lines.slice(0, -1), lines.at(-2) ?? ''], 'broken'],
      [lines.slice(0, -3), 'unverifiable'],
      [lines.with(0, lines[0]?.replace('"format":1', '"format":3') ?? ''), 'unverifiable'],
    ];
    for (const [damaged, outcome] of damages) expect((await verifySegment(damaged, options)).outcome).toBe(outcome);
    expect((await verifySegment(lines, { ...options, keys: [] })).outcome).toBe('unverifiable');
    const verify = { ...log, file: 'month.ndjson', keys: [publicKey], anchors: [], witnesses: [] };
    expect(await verifyLog(contextAt(), verify)).toMatchObject({ outcome: 'holds', rows: 5_300 });
    await expect(exportSegment(contextAt(), { ...log, month, file: 'month.ndjson' })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
    });
    await expect(exportSegment(contextAt(), { ...log, month: '2020-01', file: 'no.ndjson' })).rejects.toMatchObject({
      safeDetails: { status: 404 },
    });
  });

  it('prove a row, and all rows of an act, in a file that verifies offline', async () => {
    const { contextAt, log, ids, folder, json, report } = await start(300);
    const { bytes } = await proveRow(contextAt(), { ...log, id: ids[280] ?? '', file: 'proof.json' });
    expect(bytes).toBeLessThan(3_000);
    const keys = [publicKey];
    const verdict = await verifyProof(contextAt(), { proof: 'proof.json', keys });
    expect(verdict).toMatchObject({ outcome: 'holds', row: { id: ids[280], sequence: 281 } });
    const text = await readFile(path.join(folder, 'proof.json'), 'utf8');
    await writeFile(path.join(folder, 'changed.json'), text.replace('orders', 'order5'));
    await expect(verifyProof(contextAt(), { proof: 'changed.json', keys })).rejects.toMatchObject({
      code: 'AUDIT_LOG_BROKEN',
    });
    await expect(verifyProof(contextAt(), { proof: 'proof.json', keys: [] })).rejects.toMatchObject({
      code: 'AUDIT_LOG_UNVERIFIABLE',
    });
    await expect(verifyProof(contextAt(), { proof: 'vendor-cloud.json', keys })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
    });
    expect(verdict).toMatchObject({ further: [], gaps: [] });
    const bulk = activity({
      action: 'delete',
      status: 'pending',
      durationMs: null,
      recordIds: ['1', '2'],
      recordCount: 4,
    });
    await report([bulk, activity(), { id: bulk.id, part: 1, recordIds: ['3', '4'] }]);
    await report([activity(), { ...bulk, status: 'completed', recordIds: [] }]);
    const whole = await proveRow(contextAt(), { ...log, id: bulk.id, file: 'act.json' });
    expect(await verifyProof(contextAt(), { proof: 'act.json', keys })).toMatchObject({
      outcome: 'holds',
      row: { sequence: 301, status: 'pending' },
      further: [
        { object: 'activityLogRecords', sequence: 303, recordIds: ['3', '4'] },
        { object: 'activityLogOutcome', sequence: 305, status: 'completed' },
      ],
      gaps: [],
    });
    const [records, end] = whole.proof.further ?? [];
    const given = async (further: readonly unknown[]) => {
      await writeFile(path.join(folder, 'act.json'), JSON.stringify({ ...whole.proof, further }));
      return verifyProof(contextAt(), { proof: 'act.json', keys });
    };
    expect((await given([])).gaps).toEqual([
      'How it ended is not in the proof.',
      'It is about 4 records, and the proof names 2 of them.',
    ]);
    const { body, index, path: way } = whole.proof;
    for (const wrong of [
      [end, records],
      [end, end],
      [{ body, index, path: way }],
      [{ ...end, body: end?.body.replace('completed', 'failed') }],
    ]) {
      await expect(given(wrong)).rejects.toMatchObject({ code: 'AUDIT_LOG_BROKEN' });
    }
    const other = await proveRow(contextAt(), { ...log, id: ids[0] ?? '' });
    await writeFile(path.join(folder, 'act.json'), JSON.stringify({ ...other.proof, further: [end] }));
    await expect(verifyProof(contextAt(), { proof: 'act.json', keys })).rejects.toMatchObject({
      code: 'AUDIT_LOG_BROKEN',
    });
    const admin = (await json('/admin-logs?limit=1&include=all')).body['data'] as readonly { readonly id: string }[];
    const proved = await proveRow(contextAt(), { ...log, isAdmin: true, id: admin[0]?.id ?? '', file: 'admin.json' });
    expect(proved.proof.note).toContain('vendor-cloud.audit/');
    expect((await json('/environment/development/activity-logs/none/proof')).status).toBe(404);
    expect((await json(`/environment/development/activity-logs/${ids[0]}/proof?a=b`)).status).toBe(400);
  });
});

describe('a second machine', () => {
  it('signs what goes on from what it signed before, and verification demands that', async () => {
    const { cosign: run, append, verify, folder, contextAt, log, storage, text } = await start(400);
    const { cosigner, logs } = await run();
    expect(logs.map(({ environment, last, isNew }) => [environment, last, isNew])).toEqual([
      [null, expect.any(Number), true],
      ['development', 400, true],
    ]);
    expect((await stat(path.join(folder, 'witness.key'))).mode & 0o777).toBe(0o600);
    await append(300);
    expect(await run()).toMatchObject({ logs: [{ isNew: false }, { last: 700, isNew: false }], registerSize: 4 });
    expect(await verify([cosigner])).toMatchObject({ outcome: 'holds', rows: 700 });
    const other = cosignerOf(cosignerKeyOf('other.example', '33'.repeat(32)));
    await expect(verify([cosigner, other])).rejects.toMatchObject({
      code: 'AUDIT_LOG_UNVERIFIABLE',
      message: expect.stringMatching(/other\.example has signed nothing of this log\. .* nothing of the register\./),
    });
    await expect(verify([cosigner], 26 * hourMs)).rejects.toMatchObject({ code: 'AUDIT_LOG_UNVERIFIABLE' });
    const { segments } = await listSegments(contextAt(), log);
    expect(segments[0]?.cosigned).toHaveLength(1);
    const { logs: verdicts } = await verifyStore({ dialect: 'sqlite', storage }, { platformKey, anchors: [] });
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['holds', 'holds']);
    const store = { name: 'the store', address: `sqlite:${storage}`, folder: undefined };
    const operator = { ...contextAt(), variables: { SERVICE_PLATFORM_KEY: platformKey } };
    const verifyAll = (witnesses: readonly string[]) =>
      verifyStoreLogs(operator, { store, anchors: ['witness.state'], witnesses });
    expect((await verifyAll([cosigner])).logs).toHaveLength(2);
    await expect(verifyAll([other])).rejects.toMatchObject({ code: 'AUDIT_LOG_UNVERIFIABLE' });
    // What the machine keeps is a file of checkpoints for exports that nobody else has.
    const anchors = await stateOf(folder);
    expect(anchors).toHaveLength(3);
    const lines = (await text('/environment/development/activity-logs/export')).split('\n');
    expect(await verifyExport(lines, { keys: [{ verifier: publicKey }], anchors })).toMatchObject({ outcome: 'holds' });
  });

  it.each([
    [
      'a log that was shortened',
      [
        'delete from audit_records',
        'delete from audit_rows where sequence > 200 and chain_id = 2',
        'update audit_chains set head_sequence = 200, head_hash = (select hash from audit_rows where sequence = 200 and chain_id = 2) where id = 2',
      ],
      /had 400 rows once/,
    ],
    [
      'a log that was replaced',
      ["update audit_chains set chain = '00000000-0000-4000-8000-000000000000' where id = 2"],
      /is missing/,
    ],
    [
      'rows that were changed',
      ["update audit_rows set body = replace(body, 'orders', 'others') where chain_id = 2", 'delete from audit_nodes'],
      /does not go on/,
    ],
  ])('refuses %s', async (_what, statements, message) => {
    const { cosign: run, attack, folder } = await start(400);
    await run();
    const before = await readFile(path.join(folder, 'witness.state'), 'utf8');
    await attack(...statements);
    await expect(run()).rejects.toMatchObject({ code: 'AUDIT_LOG_BROKEN', message: expect.stringMatching(message) });
    const after = await readFile(path.join(folder, 'witness.state'), 'utf8');
    const ofLog = (text: string) => text.split(/\n\n(?=vendor-cloud)/).find((note) => note.includes('last 400'));
    expect(ofLog(after)).toBe(ofLog(before));
  });

  it(`signs the register as well: a machine finds one that was replaced, which the platform has signed${withoutPython}`, async () => {
    const { cosign: run, attack, verify, contextAt, storage, folder, log, text } = await start(5);
    const { cosigner } = await run();
    const exported = async (name: string) =>
      writeFile(path.join(folder, name), await text('/environment/development/activity-logs/export'));
    const verifyFile = (file: string) =>
      verifyLog(contextAt(), { ...log, file, keys: [publicKey], anchors: ['witness.state'], witnesses: [cosigner] });
    await exported('before.ndjson');
    expect(await verifyFile('before.ndjson')).toMatchObject({ outcome: 'holds', rows: 5 });
    await writeFile(
      path.join(folder, 'log.state'),
      (await stateOf(folder)).filter((note) => readSegment(note)).join('\n'),
    );
    // Who has the store and the key says that the log begins otherwise, and has the platform sign that.
    await attack(...(await registerAgain(storage)));
    await exported('after.ndjson');
    expect(await verify([])).toMatchObject({ outcome: 'holds' });
    const broken = { code: 'AUDIT_LOG_BROKEN', message: expect.stringMatching(/register/) };
    await expect(verify([cosigner])).rejects.toMatchObject(broken);
    await expect(verifyFile('after.ndjson')).rejects.toMatchObject(broken);
    if (hasPython) {
      const second = (state: string, file: string) => secondOutcome({ folder, state, cosigner, file });
      expect(await second('witness.state', 'before.ndjson')).toBe('holds');
      expect(await second('log.state', 'before.ndjson')).toBe('unverifiable');
      expect(await second('witness.state', 'after.ndjson')).toBe('broken');
    }
    await expect(run()).rejects.toMatchObject({ message: expect.stringContaining('does not go on') });
    const whole = await verifyStore({ dialect: 'sqlite', storage }, { platformKey, anchors: [] });
    expect(whole.register?.outcome).toBe('broken');
    await attack('delete from audit_register_cosignatures');
    await expect(verify([cosigner])).rejects.toMatchObject({
      code: 'AUDIT_LOG_UNVERIFIABLE',
      message: expect.stringContaining('has signed nothing of the register.'),
    });
    // A register that is shorter, and another one.
    await attack('delete from audit_register where sequence > 2', 'delete from audit_register_checkpoints');
    await expect(run()).rejects.toMatchObject({ message: expect.stringContaining('had 4 rows once, and has 2 now') });
    await attack(...(await registerAgain(storage, crypto.randomUUID())), 'delete from audit_register_checkpoints');
    await expect(run()).rejects.toMatchObject({ message: expect.stringContaining('was replaced by another one') });
  });

  it('gives the platform nothing that it did not sign, and only so much', async () => {
    const { get, sandbox, token, json, cosign: run } = await start(10);
    await run();
    const { chains } = (await json('/integrity')).body as { readonly chains: readonly { readonly chain: string }[] };
    const { note } = (await json(`/integrity/segments/${chains[1]?.chain}/${month}`)).body as { readonly note: string };
    const key = cosignerKeyOf('other.example', '33'.repeat(32));
    const seconds = Math.floor(Date.now() / 1000);
    const post = async (body: unknown) => {
      const answer = await fetch(`${sandbox.url}/v1/project/shop/integrity/cosignatures`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return answer.status;
    };
    const signed = cosign(note, key, seconds);
    expect(await post({ note: signed, cosigner: cosignerOf(key) })).toBe(200);
    expect(await post({ note: signed, cosigner: cosignerOf(cosignerKeyOf('other.example', '44'.repeat(32))) })).toBe(
      400,
    );
    expect(await post({ note, cosigner: cosignerOf(key) })).toBe(400);
    expect(await post({ note: cosign(signed, key, seconds), cosigner: cosignerOf(key) })).toBe(400);
    expect(
      await post({ note: signed.replace('last 10', 'last 11').replace('\n10\n', '\n11\n'), cosigner: cosignerOf(key) }),
    ).toBe(400);
    const more = Array.from({ length: 7 }, (_, index) => cosignerKeyOf(`w${index}.example`, `5${index}`.repeat(32)));
    const answers: number[] = [];
    for (const each of more)
      answers.push(await post({ note: cosign(note, each, seconds), cosigner: cosignerOf(each) }));
    // The machine of before and seven others.
    expect(answers).toEqual([200, 200, 200, 200, 200, 200, 400]);
    expect((await get(`/integrity/segments/${chains[1]?.chain}/2020-01`)).status).toBe(404);
    expect((await get('/integrity/segments/00000000-0000-4000-8000-000000000000')).status).toBe(404);
    expect(readSegment(note)?.size).toBe(10);
  });

  it('refuses a state file that somebody changed', async () => {
    const { cosign: run, folder } = await start(10);
    await run();
    const file = path.join(folder, 'witness.state');
    await writeFile(file, (await readFile(file, 'utf8')).replace('last 10', 'last 9'));
    await expect(run()).rejects.toMatchObject({ code: 'COSIGNER_STATE_INVALID' });
  });
});
