import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { unknownOption } from '#kernel/text/nearest-name';
import {
  resolveSqlConnection,
  type ServerConnectionParams,
  type SqlConnectionParams,
} from '#node/database/sql-connection-params';
import type { ReplicaLimits } from './sql/read-replicas.ts';
import type { ReplicaOptions } from './sql/sql-data-source-options.ts';

/** The replicas of a data source, read and checked. */
export interface ReplicaConnections extends ReplicaLimits {
  readonly servers: readonly ServerConnectionParams[];
}

const names = Object.keys({
  uris: true,
  waitMs: true,
  maxLagMs: true,
  allowStaleReads: true,
} satisfies Record<keyof ReplicaOptions, true>);

const defaultWaitMs = 50;
const defaultMaxLagMs = 10_000;
const longestWaitMs = 10_000;
const longestLagMs = 3_600_000;

/**
 * The replicas that options name; `undefined` where they name none.
 *
 * @throws `DATABASE_REPLICAS_INVALID` and `DATABASE_URI_INVALID`
 */
export function replicaConnections(
  primary: SqlConnectionParams,
  options: ReplicaOptions | undefined,
): ReplicaConnections | undefined {
  if (options === undefined) return undefined;
  const problem = unknownOption(options, names);
  if (problem !== undefined) throw invalid(`"replicas" has ${problem}`);
  const { uris, waitMs = defaultWaitMs, maxLagMs = defaultMaxLagMs, allowStaleReads = false } = options;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw invalid('"uris" of "replicas" is not a list of addresses.');
  }
  requireTime('waitMs', waitMs, 0, longestWaitMs);
  requireTime('maxLagMs', maxLagMs, 1_000, longestLagMs);
  if (typeof allowStaleReads !== 'boolean') throw invalid('"allowStaleReads" of "replicas" is neither true nor false.');
  if (uris.length === 0) return undefined;
  if (primary.dialect === 'sqlite') throw invalid('A SQLite database is a file, and has no "replicas".');
  return { servers: uris.map((uri) => serverOf(uri, primary)), waitMs, maxLagMs, allowStaleReads };
}

function serverOf(uri: string, primary: ServerConnectionParams): ServerConnectionParams {
  const server = resolveSqlConnection(uri);
  if (server.dialect === 'sqlite' || isPostgres(server) !== isPostgres(primary))
    throw invalid('A replica is not a database of the kind of its primary.');
  if (server.database !== primary.database) {
    throw invalid(`A replica names the database "${server.database}", and the primary "${primary.database}".`);
  }
  if (server.host.includes(',') || server.target !== undefined) {
    throw invalid('The address of a replica names one host, without "target_session_attrs".');
  }
  if (server.schemas !== undefined)
    throw invalid('The address of a replica names no schema: those of the primary count.');
  return server;
}

/** Applications write `mysql://` for MariaDB too. */
function isPostgres({ dialect }: ServerConnectionParams): boolean {
  return dialect === 'postgres';
}

function requireTime(name: string, value: number, least: number, most: number): void {
  if (Number.isFinite(value) && value >= least && value <= most) return;
  throw invalid(`"${name}" of "replicas" is not a number of milliseconds from ${least} to ${most}.`);
}

function invalid(message: string): CloudError {
  return cloudError(
    'DATABASE_REPLICAS_INVALID',
    message,
    'Correct "replicas" of the data source, as in {"uris": ["postgres://user@replica:5432/database"]}, or leave it out.',
  );
}
