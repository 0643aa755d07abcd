import type { SqlRow } from '#kernel/ports/sql-row';
import type { ServerConnectionParams } from '#node/database/sql-connection-params';
import { createLazyEngine } from '../sql/lazy-engine.ts';
import { type ReplicaLimits, ReplicatedEngine } from '../sql/read-replicas.ts';
import { Replica } from '../sql/replica.ts';
import type { SqlEngine } from '../sql/sql-engine.ts';
import { openPostgresEngine, type PostgresEngineParameters, postgresDialect } from './open-postgres-engine.ts';
import { postgresRules, stateOf, stateQuery, watchPostgres } from './postgres-positions.ts';

const defaultPort = 5432;

/** An engine whose reads go to the replicas of a PostgreSQL database. One whose address names no user takes that of the primary. */
export function withPostgresReplicas(
  primary: SqlEngine,
  parameters: PostgresEngineParameters,
  { servers, ...limits }: ReplicaLimits & { readonly servers: readonly ServerConnectionParams[] },
): SqlEngine {
  const replicas = servers.map((server) => {
    const { host, port = defaultPort, username: user, password, sslMode = parameters.sslMode } = server;
    const login = user === undefined ? {} : { user, password };
    const {
      connectTimeoutMs = parameters.connectTimeoutMs,
      preparedStatements = parameters.preparedStatements,
      applicationName = parameters.applicationName,
      channelBinding = parameters.channelBinding,
      sslFiles = parameters.sslFiles,
    } = server;
    const ofUri = { sslMode, connectTimeoutMs, preparedStatements, applicationName, channelBinding, sslFiles };
    const own: PostgresEngineParameters = { ...parameters, ...login, host, port, ...ofUri, target: 'any' };
    return new Replica(`${host}:${port}`, postgresRules, (onConnected) => {
      const greeting = { sql: stateQuery, onAnswer: (row: SqlRow) => onConnected(stateOf(row)) };
      return {
        engine: createLazyEngine({ dialect: postgresDialect }, () => openPostgresEngine({ ...own, greeting })),
        watch: watchPostgres(own, onConnected),
      };
    });
  });
  const watch = watchPostgres(parameters);
  return new ReplicatedEngine({
    primary,
    watch,
    rules: postgresRules,
    replicas,
    limits,
    database: parameters.database,
  }).engine();
}
