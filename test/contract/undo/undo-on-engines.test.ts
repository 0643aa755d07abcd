import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { undoWrites } from '#flows/audit/undo/undo-writes';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { createAuditClient } from '#platform-client/audit-client';
import { createPlatformClient } from '#platform-client/platform-client';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { createSqlDataSource } from '../../../src/exports/agent.ts';
import { createEmbeddedShop, envSecret } from '../../helpers/embedded-agent.ts';
import { eventually } from '../../helpers/eventually.ts';
import { flowContext } from '../../helpers/flow-context.ts';
import { describeOnMariadb, startMariadb } from '../../helpers/mariadb-server.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { call } from '../../helpers/rest-call.ts';
import { writeFiles } from '../../helpers/write-files.ts';
import {
  conflictingWrites,
  type EngineName,
  engines,
  randomHistory,
  type Values,
  type Write,
} from './random-history.ts';

const count = Number(process.env['UNDO_HISTORIES'] ?? 24);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** What is tested meets no limit. */
const ratePolicies = [{ name: 'min', quota: 1_000_000, windowSeconds: 60 }];
/** How many histories are written at once. */
const atOnce = 12;

const tableOf = (engine: EngineName) => `items_${engine}`;

/** Of each type that a database stores otherwise than JSON has it. */
function statementOf(engine: EngineName): string {
  const types = {
    sqlite: { moment: 'datetime', data: 'json' },
    postgres: { moment: 'timestamptz', data: 'jsonb' },
    mariadb: { moment: 'datetime(3)', data: 'json' },
  }[engine];
  return `create table ${tableOf(engine)} (
    id int primary key, label varchar(20) not null, amount decimal(10,2) not null, due date, moment ${types.moment},
    data ${types.data}, active boolean, size int not null default 5, twice int generated always as (size * 2) stored,
    parent_id int references ${tableOf(engine)} (id)${engine === 'mariadb' ? `, foreign key (parent_id) references ${tableOf(engine)} (id)` : ''})`;
}

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
      const placed = ({ id, parent_id: parent, ...values }: Values) => ({
        ...values,
        slot: Number(id) - first,
        parent: parent === null ? null : Number(parent) - first,
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
    const shop = await createEmbeddedShop(
      { limits: { slowSecondsPerMinute: null } },
      { reachAgent: () => agentUrl, ratePolicies },
    );
    const { agent, sandbox, access, folder } = shop;
    const databases = await openDatabases(folder);
    for (const engine of engines) agent.addDataSource(createSqlDataSource(databases.parameters[engine]));
    for (const engine of engines) agent.customizeCollection(tableOf(engine), (items) => items.keepHistory());
    agent.mountOnStandaloneServer(0);
    await agent.start();
    const url = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
    agentUrl = url;
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
    /** Somebody writes by this program. */
    const tokenOf = (client: string) => tokens.issue({ ...claims, client: { id: client, name: client } });
    const carryOut = async (writes: readonly Write[], first: number, tokenOfActor: readonly string[]) => {
      for (const { actor, engine, slot, kind, values } of writes) {
        const { parent_id: parent, ...plain } = values;
        const attributes = {
          ...plain,
          ...(parent === undefined ? {} : { parent_id: first + Number(parent) }),
          ...(kind === 'create' ? { id: first + slot } : {}),
        };
        const method = { create: 'POST', update: 'PUT', delete: 'DELETE' }[kind];
        const target = `/${tableOf(engine)}${kind === 'create' ? '' : `/${first + slot}`}`;
        const body = kind === 'delete' ? {} : { body: { data: { attributes } } };
        const asked = { agentUrl: url, token: tokenOfActor[actor] ?? '' };
        const { status, text } = await call(asked, target, { method, timezone: 'UTC', ...body });
        expect([status, text], `${method} ${target}`).toEqual([kind === 'delete' ? 204 : 200, expect.anything()]);
      }
    };
    const audit = createAuditClient(options);
    const { project } = await audit.caller();
    const log = { project, environment: 'development' };
    const person = { folder: root, developer: { name: 'Ada', email: 'ada@example.test' }, as: undefined };
    const undo = (client: string, since: number) =>
      undoWrites(context, {
        ...{ ...person, signal: new AbortController().signal, timezone: 'UTC', environment: undefined, agentUrl: url },
        ...{ target: { client, since }, acceptsLoss: false, confirm: async () => true },
      });
    return { carryOut, tokenOf, undo, audit, log, ...databases };
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
  }

  /** Carry out a history, and a second time without the first actor where that is what an undo leaves. */
  async function writeBoth(world: World, { writes, first, again, actors }: History): Promise<void> {
    await world.carryOut(writes, first, await Promise.all(actors.map(world.tokenOf)));
    if (conflictingWrites(writes, 0).length > 0) return;
    const others = await Promise.all(actors.map(() => world.tokenOf('others')));
    const withoutActor = writes.filter(({ actor }) => actor !== 0);
    await world.carryOut(withoutActor, again, others);
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
    const { writes, first, again, actors } = history;
    const own = writes.filter(({ actor }) => actor === 0);
    const before = await world.rows(first);
    const shown = JSON.stringify(history, null, 1);
    try {
      const { undone, left, isStopped } = await world.undo(actors[0] ?? '', since);
      expect([conflictingWrites(writes, 0), undone.length, left, isStopped], shown).toEqual([
        [],
        own.length,
        [],
        false,
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

  it(`leaves the tables as a run without the actor does, or names all conflicts and writes nothing (${count} histories, seed ${seed})`, async () => {
    const world = await start();
    const histories = fc.sample(randomHistory, { numRuns: count, seed }).map((writes, index) => ({
      ...{ writes, first: 10 + index * 20, again: 20 + index * 20 },
      actors: [0, 1, 2].map((actor) => `history ${index}, actor ${actor}`),
    }));
    const outcomes = { refused: 0, undone: 0 };
    for (let done = 0; done < histories.length; done += atOnce) {
      const since = Date.now();
      const some = histories.slice(done, done + atOnce);
      await Promise.all(some.map((history) => writeBoth(world, history)));
      await reported(world, some);
      for (const history of some) outcomes[await undoAndCompare(world, history, since)] += 1;
    }
    await world.close();
    console.log(`${outcomes.undone} undone, ${outcomes.refused} refused`);
    expect(outcomes.undone).toBeGreaterThan(0);
    expect(outcomes.refused).toBeGreaterThan(0);
  });
});
