import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { verifyStore } from '#platform/audit/verify-store';
import { readStore } from '#platform/transfer/read-store';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { randomSeed } from '../../helpers/random-seed.ts';
import { postgresPlace } from '../../helpers/store-engines.ts';
import { answersOf } from './tampering/answers.ts';
import { type AttackedStore, type CopyStore, copiesOfDatabase, copiesOfFile } from './tampering/attacked-store.ts';
import { AuditedPlatform, platformKey } from './tampering/audited-platform.ts';
import { type Contents, drawMutation, drawsOf, kindNames } from './tampering/mutations.ts';
import { otherColumns, provedColumns } from './tampering/proved-columns.ts';

/** `npm run test:tamper` makes more of them. */
const mutations = Number(process.env['MUTATIONS'] ?? 40);
/** A change takes a tenth of a second on a machine with two cores that does nothing else. */
const timeoutMs = Math.max(15 * 60_000, mutations * 1_000);

const server = usePostgresServer();
const engines = [
  { engine: 'sqlite', share: 0.8, start: onSqlite },
  { engine: 'postgres', share: 0.2, start: onPostgres },
];

interface Attacked {
  readonly copy: CopyStore;
  readonly anchors: readonly string[];
  readonly place: SqlConnectionParams;
}

async function onSqlite(folder: string): Promise<Attacked> {
  const storage = path.join(folder, 'platform.sqlite');
  const platform = new AuditedPlatform({ dialect: 'sqlite', storage });
  await platform.use((store) => platform.fill(store));
  return { copy: copiesOfFile(storage, folder), anchors: platform.kept, place: platform.place };
}

async function onPostgres(): Promise<Attacked> {
  const database = await server.createDatabase();
  const platform = new AuditedPlatform(postgresPlace(server, database));
  await platform.use((store) => platform.fill(store));
  return { copy: copiesOfDatabase(server, database), anchors: platform.kept, place: platform.place };
}

async function contentsOf(store: AttackedStore): Promise<Contents> {
  const tables = Object.keys(provedColumns);
  return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await store.rows(table)] as const)));
}

/** What `platform verify` finds first. */
async function findingIn({ place }: AttackedStore, anchors: readonly string[]): Promise<string | undefined> {
  const { logs, register } = await verifyStore(place, { platformKey, anchors });
  const verdicts = register ? [...logs, register] : logs;
  return verdicts.find(({ outcome }) => outcome === 'broken')?.problem?.message;
}

/** The tables of what a log is made of. */
const ofLog = [
  ...['audit_rows', 'audit_records', 'audit_outcomes', 'audit_values', 'audit_checkpoints'],
  ...['audit_segments', 'audit_nodes', 'audit_cosignatures'],
];

/** What somebody would do who knows the store. `$log` is the log of the first environment, `$other` that of the second. */
const attacks: Readonly<Record<string, readonly string[]>> = {
  'a whole log that is deleted': [
    ...ofLog.map((table) => `delete from ${table} where chain_id = $log`),
    'delete from audit_chains where id = $log',
  ],
  'all logs and the register that are deleted': [
    ...ofLog,
    ...['audit_chains', 'audit_register', 'audit_register_checkpoints'],
  ].map((table) => `delete from ${table}`),
  'the logs of two environments that change places': [
    'update audit_chains set environment_id = -1 where id = $log',
    `update audit_chains set environment_id = (select environment_id from before where id = $log) where id = $other`,
    `update audit_chains set environment_id = (select environment_id from before where id = $other) where id = $log`,
  ],
  'two environments that change names': [
    "update environments set name = 'production ' where name = 'development'",
    "update environments set name = 'development' where name = 'production'",
    "update environments set name = 'production' where name = 'production '",
  ],
  'the order of the records': [
    'update audit_records set sequence = -sequence where chain_id = $log',
    'update audit_records set sequence = sequence + 100 where chain_id = $log',
  ],
  'the collection of a record': ["update audit_records set collection = 'other' where chain_id = $log"],
  'records under another id': ["update audit_records set record_id = record_id || '0' where chain_id = $log"],
  'values that are gone': ['delete from audit_values where chain_id = $log'],
  'values of one record that are gone': [
    `delete from audit_values where chain_id = $log and place = 0 and sequence =
     (select max(sequence) from audit_values where chain_id = $log)`,
  ],
  'values of another record': [
    'update audit_values set sealed = (select max(sealed) from audit_values other where other.chain_id = $log) where chain_id = $log',
  ],
  'values that are gone with what commits to them': [
    'delete from audit_values where chain_id = $log',
    "update audit_rows set disclosed = null where chain_id = $log and kind = 'records'",
  ],
  'values that were erased and are there again': [
    `insert into audit_values (chain_id, sequence, place, act_sequence, record_id, sealed)
     select chain_id, sequence, 50 + place, act_sequence, record_id, sealed from audit_values where chain_id = $log`,
  ],
  'outcomes that are turned': [
    "update audit_outcomes set status = case status when 'failed' then 'completed' else 'failed' end where chain_id = $log",
  ],
  'outcomes that are gone': ['delete from audit_outcomes where chain_id = $log'],
  'an outcome that is made up': [
    `insert into audit_outcomes (chain_id, sequence, status, reported_in)
     select chain_id, sequence, 'failed', sequence + 1 from audit_rows
     where chain_id = $log and kind = 'act' and status = 'completed'`,
  ],
  'names that are gone': [
    'update audit_rows set disclosed = null, user_id = null, user_email = null where chain_id = $log',
  ],
  'names that are gone from one row': [
    `update audit_rows set disclosed = null, user_id = null, user_email = null where chain_id = $log and sequence =
     (select max(sequence) from audit_rows where chain_id = $log and disclosed is not null)`,
  ],
  'another name': [
    `update audit_rows set disclosed = replace(disclosed, 'user1@', 'user3@'), user_email = replace(user_email, 'user1@', 'user3@')
     where chain_id = $log`,
  ],
  'names of another row': [
    `update audit_rows set
       disclosed = (select max(other.disclosed) from audit_rows other where other.chain_id = $log and other.user_id = 3),
       user_id = 3, user_email = 'user3@example.test'
     where chain_id = $log and user_id = 1`,
  ],
  'a name that was erased and is there again': [
    `update audit_rows set
       disclosed = (select max(other.disclosed) from audit_rows other where other.chain_id = $log and other.user_id = 3),
       user_id = 3, user_email = 'user3@example.test'
     where chain_id = $log and kind = 'act' and user_id is null`,
  ],
  'another program': ["update audit_rows set client_id = 'other' where chain_id = $log and client_id is not null"],
  'a program that is gone': [
    'update audit_rows set client_name = null where chain_id = $log and client_name is not null',
  ],
  'another tool': ["update audit_rows set tool = 'other' where chain_id = $log and tool is not null"],
  'another version of the code': [
    'update audit_rows set code_version = 9 where chain_id = $log and code_version is not null',
  ],
  'checkpoints that are gone': ['delete from audit_checkpoints where chain_id = $log'],
  'checkpoints of the register that are gone': ['delete from audit_register_checkpoints'],
  'a log that begins later': ['update audit_chains set first_sequence = first_sequence + 3 where id = $log'],
  'a log that has another name': [
    `update audit_chains set chain = '00000000-0000-4000-8000-000000000000' where id = $log`,
  ],
  'segments that are gone': ['delete from audit_segments where chain_id = $log'],
  'the segment of removed rows that is gone': [
    'delete from audit_segments where chain_id = $log and month = (select min(month) from audit_segments where chain_id = $log)',
  ],
  'the segments of another log': [
    'delete from audit_segments where chain_id = $log',
    'update audit_segments set chain_id = $log where chain_id = $other',
  ],
  'hashes of removed rows that are gone': ['delete from audit_nodes where chain_id = $log and level = 0'],
  'a cosignature of the register by another machine': [
    "update audit_register_cosignatures set cosigner = replace(cosigner, 'witness', 'another')",
  ],
  'a cosignature of the register that is a checkpoint of a log': [
    'update audit_register_cosignatures set note = (select max(note) from audit_checkpoints where chain_id = $log)',
  ],
  'a cosignature of the register without its last line': [
    'update audit_register_cosignatures set note = (select max(note) from audit_register_checkpoints)',
  ],
  'a cosignature of the register for a project that is not there': [
    'update audit_register_cosignatures set project_id = project_id + 100',
  ],
  'a register that is shorter': [
    'delete from audit_register where sequence = (select max(sequence) from audit_register)',
  ],
};

const byName = (one: { readonly name: string }, other: { readonly name: string }) => (one.name < other.name ? -1 : 1);

describe.each(engines)('a changed store on $engine', ({ start, share, engine }) => {
  let folder = '';
  let attacked: Attacked;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-'));
    attacked = await start(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has no column of the logs that nobody has decided about', async () => {
    const { place } = attacked;
    const tables = await readStore(place, { isAlone: false }, async (store) => store.tables);
    const ofLogs = tables.filter(({ name }) => name.startsWith('audit_') || name in provedColumns);
    const known = Object.entries(provedColumns).map(([name, columns]) => ({
      name,
      columns: [...columns, ...(otherColumns[name] ?? [])].sort(),
    }));
    expect(ofLogs.map(({ name, columns }) => ({ name, columns: [...columns].sort() })).sort(byName)).toEqual(
      known.sort(byName),
    );
  });

  it(`is found by verify whenever an answer changes (seed ${randomSeed})`, {
    tags: 'long',
    timeout: timeoutMs,
  }, async () => {
    const { copy, anchors, place } = attacked;
    const untouched = await copy();
    expect(await findingIn(untouched, anchors)).toBeUndefined();
    const contents = await contentsOf(untouched);
    await untouched.close();
    const before = await answersOf(place);
    const draw = drawsOf(randomSeed);
    const found = new Map<string, number>();
    let harmless = 0;
    // Few draws need not have each kind: it goes on until each has been found.
    for (let done = 0; done < Math.ceil(mutations * share) || found.size < kindNames.length; ) {
      const mutation = drawMutation(contents, draw);
      if (!mutation) continue;
      const store = await copy();
      const isDone = await store.execute(mutation.statements).then(
        () => true,
        // The database itself refuses it: a key that is there already, a kind that there is not.
        () => false,
      );
      if (isDone) {
        done++;
        const [kind = ''] = mutation.kind.split(' ');
        if (await findingIn(store, anchors)) found.set(kind, (found.get(kind) ?? 0) + 1);
        else {
          await store.close();
          expect(await answersOf(store.place), mutation.statements.join(';\n')).toBe(before);
          harmless++;
        }
      }
      await store.close();
    }
    if (mutations > 300)
      console.info(`${engine}: found ${JSON.stringify(Object.fromEntries(found))}, ${harmless} change no answer`);
    expect([...found.keys()].sort()).toEqual([...kindNames].sort());
  });

  it.each(Object.entries(attacks))('is found with %s', async (_what, statements) => {
    const { copy, anchors } = attacked;
    const store = await copy();
    const chains = await store.rows('audit_chains');
    const [log, other] = chains.filter(({ kind }) => kind === 'activity').map(({ id }) => String(id));
    const written = statements.map((each) => each.replaceAll('$log', log ?? '').replaceAll('$other', other ?? ''));
    await store.execute(['create temporary table before as select * from audit_chains', ...written]);
    await store.close();
    expect(await findingIn(store, anchors)).toBeDefined();
    // A platform that runs on signs what it finds.
    const platform = new AuditedPlatform(store.place);
    await platform.use((opened) => platform.checkpointsOf(opened).signAll());
    expect(await findingIn(store, anchors)).toBeDefined();
  });
});
