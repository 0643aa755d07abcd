import type { Connection, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import type { FamilyMember } from './mysql-family.ts';
import type { MysqlFamilyServer } from './mysql-family-server.ts';

/** How one of the two servers says what replication needs. */
const wordsOf = {
  MariaDB: {
    options: ['--gtid-strict-mode=on'],
    forget: ['reset master', "set global gtid_slave_pos = ''"],
    follow: (port: number) =>
      `change master to master_host = '127.0.0.1', master_port = ${port}, master_user = 'copier', master_password = 'c',
        master_use_gtid = slave_pos, master_connect_retry = 1`,
    replica: 'slave',
    position: '@@global.gtid_current_pos',
  },
  MySQL: {
    options: ['--gtid-mode=on', '--enforce-gtid-consistency=on'],
    forget: ['reset binary logs and gtids'],
    follow: (port: number) =>
      `change replication source to source_host = '127.0.0.1', source_port = ${port}, source_user = 'copier', source_password = 'c',
        source_auto_position = 1, source_connect_retry = 1, source_ssl = 0, get_source_public_key = 1`,
    replica: 'replica',
    position: '@@global.gtid_executed',
  },
} as const;

/** A primary and replicas that follow it, of MariaDB or MySQL. */
export interface MysqlReplicas {
  readonly primary: MysqlFamilyServer;
  readonly replicas: readonly MysqlFamilyServer[];
  uri(server: MysqlFamilyServer): string;
  execute(server: MysqlFamilyServer, ...statements: string[]): Promise<readonly RowDataPacket[]>;
  /** Another server until the test ends: a replica of this primary, or one that follows nobody. */
  newServer(of: MysqlFamilyServer | undefined, options?: readonly string[]): Promise<MysqlFamilyServer>;
  /** A new table of notes on every server; its name. */
  newNotes(): Promise<string>;
  /** Whether a replica carries out what it receives. What is stopped starts again when the test ends. */
  apply(replica: MysqlFamilyServer, how: 'start' | 'stop'): Promise<void>;
  /** After a server was killed: the next statement of a test goes over a new connection. */
  forgetConnection(server: MysqlFamilyServer): void;
  /** Wait until every replica shows what is committed now. */
  caughtUp(): Promise<void>;
}

const database = 'shop';

/** Gives the tests of a suite a primary and `count` replicas. */
export function useMysqlReplicas({ name, dialect, start }: FamilyMember, count = 2): MysqlReplicas {
  const words = wordsOf[name];
  const servers: MysqlFamilyServer[] = [];
  const connections = new Map<MysqlFamilyServer, Promise<Connection>>();
  let numbers = 0;
  const execute = async (server: MysqlFamilyServer, ...statements: string[]) => {
    const opening = connections.get(server) ?? server.connect();
    connections.set(server, opening);
    const connection = await opening;
    let rows: unknown;
    for (const statement of statements) [rows] = await connection.query(statement);
    return rows as RowDataPacket[];
  };
  const stop = async (server: MysqlFamilyServer) => {
    const opened = connections.get(server);
    connections.delete(server);
    (await opened)?.destroy();
    await server.stop();
  };
  const add = async (of: MysqlFamilyServer | undefined, options: readonly string[]) => {
    numbers += 1;
    const server = await start([
      `--log-bin=log`,
      `--server-id=${numbers}`,
      ...words.options,
      ...options,
      ...(of ? ['--read-only=on'] : []),
    ]);
    // Until here both have carried out the same statements on their own.
    await execute(server, ...words.forget);
    if (of) await execute(server, words.follow(of.port), `start ${words.replica}`);
    else await execute(server, "create user copier identified by 'c'", 'grant replication slave on *.* to copier');
    return server;
  };
  const running = () => {
    const [primary] = servers;
    if (!primary) throw new Error('The servers are there while tests run.');
    return primary;
  };
  const positionOf = async (server: MysqlFamilyServer) => {
    const [row] = await execute(server, `select ${words.position} as position`);
    return String(row?.['position']);
  };
  const caughtUp = async () => {
    const wanted = await positionOf(running());
    for (const replica of servers.slice(1)) {
      await eventually(
        async () => {
          if ((await positionOf(replica)) !== wanted) throw new Error('The replica does not follow yet.');
        },
        { interval: 20 },
      );
    }
  };
  beforeAll(async () => {
    servers.push(await add(undefined, []));
    await execute(running(), `create database ${database}`);
    for (let added = 0; added < count; added++) servers.push(await add(running(), []));
    await caughtUp();
  });
  afterAll(async () => {
    for (const server of servers) await stop(server);
  });
  let tables = 0;
  return {
    get primary() {
      return running();
    },
    get replicas() {
      return servers.slice(1);
    },
    uri: ({ host, port, user, password }) =>
      `${dialect}://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    execute,
    async newServer(of, options = []) {
      const server = await add(of, options);
      onTestFinished(() => stop(server));
      if (!of) await execute(server, `create database ${database}`);
      return server;
    },
    async newNotes() {
      tables += 1;
      const table = `notes_${tables}`;
      await execute(running(), `create table ${database}.${table} (id int primary key, text varchar(20))`);
      await caughtUp();
      return table;
    },
    async apply(replica, how) {
      await execute(replica, `${how} ${words.replica} sql_thread`);
    },
    forgetConnection: (server) => {
      connections.delete(server);
    },
    caughtUp,
  };
}
