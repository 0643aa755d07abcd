import type { SqlRow } from '#kernel/ports/sql-row';
import type { ServerConnectionParams } from '#node/database/sql-connection-params';
import { type MysqlDatabase, type MysqlParameters, openMysql } from '#node/mysql/open-mysql';
import { createLazyEngine } from '../sql/lazy-engine.ts';
import { type ReplicaLimits, ReplicatedEngine } from '../sql/read-replicas.ts';
import { Replica, type ServerState, type ServerWatch } from '../sql/replica.ts';
import type { SqlEngine } from '../sql/sql-engine.ts';
import { mariadbRules, stateOf, stateQuery } from './mariadb-positions.ts';
import { type MariadbParameters, openMariadbEngine } from './open-mariadb-engine.ts';

const defaultPort = 3306;

/** An engine whose reads go to the replicas of a MariaDB or MySQL database. One whose address names no user takes that of the primary. */
export function withMariadbReplicas(
  primary: SqlEngine,
  parameters: MariadbParameters,
  { servers, ...limits }: ReplicaLimits & { readonly servers: readonly ServerConnectionParams[] },
): SqlEngine {
  const replicas = servers.map((server) => {
    const { host, port = defaultPort, username: user, password } = server;
    const { sslMode = parameters.sslMode, connectTimeoutMs = parameters.connectTimeoutMs } = server;
    const login = user === undefined ? {} : { user, password };
    const own: MariadbParameters = { ...parameters, ...login, host, port, sslMode, connectTimeoutMs };
    return new Replica(`${host}:${port}`, mariadbRules, (onConnected) => ({
      engine: createLazyEngine(primary, () => openMariadbEngine(greeted(own, onConnected))),
      watch: watchMariadb(greeted(own, onConnected)),
    }));
  });
  const watch = watchMariadb(parameters);
  return new ReplicatedEngine({
    primary,
    watch,
    rules: mariadbRules,
    replicas,
    limits,
    database: parameters.database,
  }).engine();
}

function greeted(parameters: MariadbParameters, onConnected: (state: ServerState) => void): MariadbParameters {
  return { ...parameters, greeting: { sql: stateQuery, onAnswer: (row: SqlRow) => onConnected(stateOf(row)) } };
}

function watchMariadb(parameters: MysqlParameters): ServerWatch {
  let opened: MysqlDatabase | undefined;
  const opening = openMysql({ ...parameters, poolSize: 1 }).then((database) => {
    opened = database;
    return database;
  });
  const state = async () => stateOf((await (await opening).all(stateQuery, []))[0] ?? {});
  return {
    state,
    async written() {
      const { position } = await state();
      if (position === undefined) throw new TypeError('The primary gives its transactions no numbers.');
      return position;
    },
    reconnect: () => opened?.forgetStatements(),
    openConnections: () => opened?.openConnections() ?? 0,
    close: async () => (await opening).close(),
  };
}
