import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type UndoTarget, undoWrites } from '#flows/audit/undo/undo-writes';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { nodeFileSystem } from '#node/files/node-file-system';
import { createHttp } from '#node/http/http-client';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createAuditClient } from '#platform-client/audit-client';
import { connectAgent } from '#platform-client/connect-agent';
import { createPlatformClient } from '#platform-client/platform-client';
import { type Agent, createAgentRuntime } from '#runtime/index';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { createSqlDataSource } from '../../../src/exports/agent.ts';
import { createEmbeddedShop, type EmbeddedShop, envSecret } from '../../helpers/embedded-agent.ts';
import { eventually } from '../../helpers/eventually.ts';
import { flowContext } from '../../helpers/flow-context.ts';
import { describeOnMariadb, startMariadb } from '../../helpers/mariadb-server.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { randomSeed } from '../../helpers/random-seed.ts';
import { call, type RestAddress } from '../../helpers/rest-call.ts';
import { identity } from '../../helpers/shop-agent.ts';
import { writeFiles } from '../../helpers/write-files.ts';
import {
  conflictingWrites,
  type EngineName,
  engines,
  links,
  randomHistory,
  randomVersions,
  type Values,
  type Versions,
  type Write,
  withoutActor,
} from './random-history.ts';

const count = Number(process.env['UNDO_HISTORIES'] ?? 24);

/** What is tested meets no limit. */
const ratePolicies = [{ name: 'min', quota: 1_000_000, windowSeconds: 60 }];
/** How many histories are written at once. */
const atOnce = 12;

const tableOf = (engine: EngineName) => `items_${engine}`;
/** What meets no limit, and keeps every write. */
const limits = { slowSecondsPerMinute: null } as const;
const keepHistories = (agent: Pick<Agent, 'customizeCollection'>) => {
  for (const engine of engines) agent.customizeCollection(tableOf(engine), (items) => items.keepHistory());
};

/** The address of an agent on the same databases that serves a version of the code, as a host does. */
async function startVersion(
  version: number,
  { authSecret, folder, sandbox }: EmbeddedShop,
  parameters: Readonly<Record<EngineName, SqlConnectionParams>>,
): Promise<string> {
  const machine = { clock: systemClock, random: systemRandom };
  const ports = {
    ...{ ...machine, fs: nodeFileSystem, serverUrl: sandbox.url, port: undefined, version: '0.0.0' },
    ...{ mcpServerUrl: undefined, mcpEnabledTools: undefined, mcpReadOnly: undefined },
    ...{ log: () => undefined, workingFolder: folder },
    connectPlatform: (url: string, secret: string) => connectAgent(url, secret, createHttp(machine), systemRandom),
  };
  const runtime = createAgentRuntime(ports, {
    ...{ authSecret, envSecret, identity, limits, stateFolder: path.join(folder, `version-${version}`) },
    ...{ agentPort: { port: 0, isExact: true }, mcpPort: { port: 0, isExact: true } },
    dataSources: Object.fromEntries(engines.map((engine) => [engine, createSqlDataSource(parameters[engine])])),
  });
  onTestFinished(() => runtime.stop(0));
  await runtime.load(keepHistories, undefined, { codeVersion: version });
  return (await runtime.listen()).agentUrl;
}

/** Of each type that a database stores otherwise than JSON has it. */
function statementOf(engine: EngineName): string {
  const types = {
    sqlite: { moment: 'datetime', data: 'json' },
    postgres: { moment: 'timestamptz', data: 'jsonb' },
    mariadb: { moment: 'datetime(3)', data: 'json' },
  }[engine];
  const rules = { parent_id: '', owner_id: 'on delete cascade', friend_id: 'on delete set null' };
  const keys = links.map((name) => `foreign key (${name}) references ${tableOf(engine)} (id) ${rules[name]}`);
  return `create table ${tableOf(engine)} (
    id int primary key, label varchar(20) not null, amount decimal(10,2) not null, due date, moment ${types.moment},
    data ${types.data}, active boolean, size int not null default 5, twice int generated always as (size * 2) stored,
    ${links.map((name) => `${name} int`).join(', ')}, ${keys.join(', ')})`;
}

/** Where a link leads, in other numbers. */
const placeOf = (link: unknown, distance: number) => (link === null ? null : Number(link) + distance);

describeOnMariadb('An undo of an actor on SQLite, PostgreSQL and', () => {
  const postgres = usePostgresServer();
  let mariadb: MysqlFamilyServer | undefined;
  beforeAll(async () => {
    mariadb = await startMariadb();
  });
  afterAll(() => mariadb?.stop());

  /** The three databases: how the agent connects, and their rows as they are stored. */
  async function openDatabases(folder: string) {
    if (!mariadb) throw new Error('The server is there while tests run.');
    const storage = path.join(folder, 'items.sqlite');
    const connection = await openSqlite(storage);
    connection.execute(statementOf('sqlite'));
    const database = await postgres.createDatabase(statementOf('postgres'));
    const { user: username, ...where } = postgres.parameters(database);
    await mariadb.createDatabase('items', [statementOf('mariadb')]);
    const { host, port, user, password } = mariadb;
    const admin = await mariadb.connect('items');
    const parameters: Readonly<Record<EngineName, SqlConnectionParams>> = {
      sqlite: { dialect: 'sqlite', storage },
      postgres: { dialect: 'postgres', ...where, database, username },
      mariadb: { dialect: 'mariadb', host, port, database: 'items', username: user, password },
    };
    const query = {
      sqlite: async (sql: string) => connection.all(sql, []),
      postgres: (sql: string) => postgres.execute(database, sql),
      mariadb: async (sql: string) => (await admin.query(sql))[0] as Values[],
    };
    const rows = async (first: number) => {
      const found = await Promise.all(
        engines.map((engine) =>
          query[engine](`select * from ${tableOf(engine)} where id between ${first} and ${first + 2} order by id`),
        ),
      );
      const placed = ({ id, ...values }: Values) => ({
        ...values,
        ...Object.fromEntries(links.map((name) => [name, placeOf(values[name], -first)])),
        slot: Number(id) - first,
      });
      return found.map((each) => each.map(placed));
    };
    const close = async () => {
      connection.close();
      await admin.end();
    };
    return { parameters, rows, close };
  }

  async function start() {
    let agentUrl: string | undefined;
    const shop = await createEmbeddedShop({ limits }, { reachAgent: () => agentUrl, ratePolicies });
    const { agent, sandbox, access, folder } = shop;
    const databases = await openDatabases(folder);
    for (const engine of engines) agent.addDataSource(createSqlDataSource(databases.parameters[engine]));
    keepHistories(agent);
    agent.mountOnStandaloneServer(0);
    await agent.start();
    const url = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
    agentUrl = url;
    const versions = new Map<number | undefined, string>([[undefined, url]]);
    for (const version of [1, 2]) versions.set(version, await startVersion(version, shop, databases.parameters));
    const root = path.join(folder, 'project');
    const config = JSON.stringify({ name: 'shop', dataSources: { main: { uri: 'sqlite:./shop.sqlite' } } });
    await writeFiles(root, { 'vendor-cloud.json': config, 'src/index.ts': 'export default () => undefined;' });
    const variables = { SERVICE_SERVER_URL: sandbox.url, SERVICE_AUTH_TOKEN: access.userToken };
    const context = { ...flowContext(root), variables };
    const { http } = context;
    const options = { serverUrl: sandbox.url, http, credentials: { userToken: access.userToken, envSecret } };
    const claims = await createPlatformClient(options).person(access.userId);
    if (!claims) throw new TypeError('The developer has a place in the environment.');
    const tokens = createSessionTokens(shop.authSecret, systemClock, () => false);
    /** How somebody writes by this program, and where a version of the code is served. */
    const askedAs = async (client: string, version?: number): Promise<RestAddress> => ({
      agentUrl: versions.get(version) ?? '',
      token: await tokens.issue({ ...claims, client: { id: client, name: client } }),
    });
    /** @param isNext is called before another agent writes than the one before, with how many writes there were. */
    const carryOut = async (
      writes: readonly Write[],
      first: number,
      askedAsActor: readonly RestAddress[],
      isNext: (written: number) => Promise<void> = async () => undefined,
    ) => {
      let writer: string | undefined;
      for (const [written, { actor, engine, slot, kind, values }] of writes.entries()) {
        const asked = askedAsActor[actor];
        if (!asked) throw new TypeError('Every actor has an agent.');
        if (writer !== undefined && writer !== asked.agentUrl) await isNext(written);
        writer = asked.agentUrl;
        const attributes = {
          ...values,
          ...Object.fromEntries(
            links.filter((name) => Object.hasOwn(values, name)).map((name) => [name, placeOf(values[name], first)]),
          ),
          ...(kind === 'create' ? { id: first + slot } : {}),
        };
        const method = { create: 'POST', update: 'PUT', delete: 'DELETE' }[kind];
        const target = `/${tableOf(engine)}${kind === 'create' ? '' : `/${first + slot}`}`;
        const body = kind === 'delete' ? {} : { body: { data: { attributes } } };
        const { status, text } = await call(asked, target, { method, timezone: 'UTC', ...body });
        expect([status, text], `${method} ${target}`).toEqual([kind === 'delete' ? 204 : 200, expect.anything()]);
      }
    };
    const audit = createAuditClient(options);
    const { project } = await audit.caller();
    const log = { project, environment: 'development' };
    const person = { folder: root, developer: { name: 'Ada', email: 'ada@example.test' }, as: undefined };
    const undo = (target: UndoTarget) =>
      undoWrites(context, {
        ...{ ...person, signal: new AbortController().signal, timezone: 'UTC', environment: undefined, agentUrl: url },
        ...{ target, acceptsLoss: false, confirm: async () => true },
      });
    return { carryOut, askedAs, undo, audit, log, ...databases };
  }

  /** The rows of the writes of a record, in their order. */
  async function rowsOf({ audit, log }: Awaited<ReturnType<typeof start>>, engine: EngineName, id: number) {
    const filter = { collectionName: tableOf(engine), recordId: String(id), type: 'write', order: 'asc' };
    const { data } = await audit.activityLogs(log, { ...filter, expand: 'integrity', limit: 100 });
    return data.map(({ sequence = 0 }) => sequence);
  }

  type World = Awaited<ReturnType<typeof start>>;

  interface History {
    readonly writes: readonly Write[];
    /** The id of its first record, and that of the run without the first actor. */
    readonly first: number;
    readonly again: number;
    /** The program of each actor. */
    readonly actors: readonly string[];
    /** The version of the code that each actor writes through, where the undo uses that; all have one program then. */
    readonly versions: Versions | undefined;
  }

  /** Carry out a history, and a second time without the first actor where that is what an undo leaves. */
  async function writeBoth(world: World, { writes, first, again, actors, versions }: History): Promise<void> {
    const asked = actors.map((actor, index) => world.askedAs(actor, versions?.[index]));
    // Each agent reports by itself, and the log is in the order of the reports.
    const areReported = (written: number) =>
      eventually(async () => {
        const page = { client: actors[0], type: 'write', limit: 100 };
        expect((await world.audit.activityLogs(world.log, page)).data).toHaveLength(written);
      });
    await world.carryOut(writes, first, await Promise.all(asked), areReported);
    if (conflictingWrites(writes, 0).length > 0) return;
    const others = await Promise.all(actors.map(() => world.askedAs('others')));
    await world.carryOut(withoutActor(writes, 0), again, others);
  }

  /** Wait until the log has all writes. */
  async function reported(world: World, histories: readonly History[]): Promise<void> {
    for (const { writes, first } of histories) {
      const last = writes.at(-1);
      if (!last) continue;
      const same = writes.filter(({ engine, slot }) => engine === last.engine && slot === last.slot);
      await eventually(async () => {
        expect(await rowsOf(world, last.engine, first + last.slot)).toHaveLength(same.length);
      });
    }
  }

  /** Each conflict as the refusal names it: collection, id and row of the log. */
  async function expectedConflicts(world: World, { writes, first }: History): Promise<readonly string[]> {
    const named = await Promise.all(
      conflictingWrites(writes, 0).map(async (write) => {
        const id = first + write.slot;
        const same = writes.filter(({ engine, slot }) => engine === write.engine && slot === write.slot);
        const sequence = (await rowsOf(world, write.engine, id))[same.indexOf(write)];
        return `${tableOf(write.engine)} ${id} ${sequence}`;
      }),
    );
    return named.toSorted();
  }

  /** Take back what the first actor did, and compare. Returns whether it was refused. */
  async function undoAndCompare(world: World, history: History, since: number): Promise<'refused' | 'undone'> {
    const { writes, first, again, actors, versions } = history;
    const own = writes.filter(({ actor }) => actor === 0);
    const between = writes.slice(writes.indexOf(own[0] as Write), writes.lastIndexOf(own.at(-1) as Write));
    const nameless = versions ? between.filter(({ actor }) => versions[actor] === undefined) : [];
    const version = versions?.[0];
    const before = await world.rows(first);
    const shown = JSON.stringify(history, null, 1);
    try {
      const target = { client: actors[0], since, ...(version === undefined ? {} : { version }) };
      const { undone, left, isStopped, unversioned } = await world.undo(target);
      expect([conflictingWrites(writes, 0), undone.length, left, isStopped, unversioned], shown).toEqual([
        ...[[], own.length, [], false],
        nameless.length,
      ]);
      expect(await world.rows(first), shown).toEqual(await world.rows(again));
      return 'undone';
    } catch (error) {
      if (!isCloudError(error) || error.code !== 'RECORD_CHANGED') throw error;
      const conflicts = (error.details['conflicts'] ?? []) as readonly Values[];
      const named = conflicts.map(({ collection, recordId, sequence }) => `${collection} ${recordId} ${sequence}`);
      expect([...new Set(named)].toSorted(), shown).toEqual(await expectedConflicts(world, history));
      expect(await world.rows(first), shown).toEqual(before);
      return 'refused';
    }
  }

  it(`leaves the tables as a run without the actor does, or names all conflicts and writes nothing (${count} histories, seed ${randomSeed})`, {
    timeout: Math.max(15 * 60_000, count * 1_000),
  }, async () => {
    const world = await start();
    const drawn = fc.sample(fc.tuple(randomHistory, randomVersions), { numRuns: count, seed: randomSeed });
    const histories = drawn.map(([writes, versions], index) => ({
      ...{ writes, versions, first: 10 + index * 20, again: 20 + index * 20 },
      actors: [0, 1, 2].map((actor) => `history ${index}${versions ? '' : `, actor ${actor}`}`),
    }));
    const outcomes = { refused: 0, undone: 0 };
    const byVersion = { refused: 0, undone: 0 };
    for (let done = 0; done < histories.length; done += atOnce) {
      const since = Date.now();
      const some = histories.slice(done, done + atOnce);
      await Promise.all(some.map((history) => writeBoth(world, history)));
      await reported(world, some);
      for (const history of some) {
        const outcome = await undoAndCompare(world, history, since);
        outcomes[outcome] += 1;
        if (history.versions) byVersion[outcome] += 1;
      }
    }
    await world.close();
    console.log(
      `${outcomes.undone} undone, ${outcomes.refused} refused; by version ${byVersion.undone} and ${byVersion.refused}`,
    );
    expect(Math.min(outcomes.undone, outcomes.refused, byVersion.undone)).toBeGreaterThan(0);
    if (count >= 200) expect(byVersion.refused).toBeGreaterThan(0);
  });
});
