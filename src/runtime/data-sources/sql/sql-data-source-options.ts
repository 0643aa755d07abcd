import type { KeptColumnSettings } from '../tables/timestamp-and-soft-delete-settings.ts';

/** Copies of a database that reads go to. */
export interface ReplicaOptions {
  /** The addresses of the replicas, each of one host. The name of the database is that of the primary. */
  readonly uris: readonly string[];
  /** How long a read waits for a replica to show what its person has written, in milliseconds; then the primary answers. Default 50. */
  readonly waitMs?: number | undefined;
  /** A replica that is further behind is left out, in milliseconds. Default 10 000. */
  readonly maxLagMs?: number | undefined;
  /** Whether replicas also answer requests that bring no position. Such a client may read before its own write. Default `false`. */
  readonly allowStaleReads?: boolean | undefined;
}

/** How a SQL data source connects, beyond where its database is. All of them are optional. */
export interface SqlDataSourceOptions extends KeptColumnSettings {
  /** The folder that a relative path of a SQLite file starts from. Default: the folder that the process was started in. */
  readonly baseFolder?: string | undefined;
  /**
   * PostgreSQL: the schemas whose tables are taken, default `public`. MariaDB and MySQL: databases whose tables are taken
   * beside those of the connection's own.
   */
  readonly schemas?: readonly string[] | undefined;
  /** Name under which native queries can be run on the database. Default: none can. */
  readonly liveQueryConnections?: string | undefined;
  /**
   * Connections at most. Default 5; SQLite 4, of which one writes, one reads, and the others are threads for statements
   * that scan large tables (always one at least).
   */
  readonly poolSize?: number | undefined;
  /**
   * `preferred` encrypts where the server can, `required` always; both accept any certificate. `verify` also holds the
   * certificate and its host name to the trusted authorities, and `verify-ca` the certificate only. Without authorities of its own,
   * `verify-ca` means `verify`. Default `preferred`.
   */
  readonly sslMode?: 'disabled' | 'preferred' | 'required' | 'verify-ca' | 'verify' | undefined;
  /** PEM of the authorities that `verify` and `verify-ca` trust instead of the system's. */
  readonly sslCertificateAuthority?: string | undefined;
  /** `false` for poolers in transaction mode and proxies that cannot prepare. Default `true`. */
  readonly preparedStatements?: boolean | undefined;
  /** PostgreSQL: whether quick reads share a connection, one sent behind the other. Default `true`. */
  readonly shareConnections?: boolean | undefined;
  /** How long to wait for the server, and for a free connection, in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * How long the start tries again to reach a database that nothing is known of, in milliseconds: it may be starting itself.
   * Default 10 000; `0` fails at once. SQLite has no server to wait for.
   */
  readonly startupTimeoutMs?: number | undefined;
  /**
   * The time after which a statement is cancelled, in milliseconds. Default 30 000; `0` means no limit. On SQLite it holds for
   * statements that scan large tables, and for native queries.
   */
  readonly statementTimeoutMs?: number | undefined;
  /** PostgreSQL: replicas that reads go to. A person still reads what they have written. Default: none. */
  readonly replicas?: ReplicaOptions | undefined;
  /**
   * File that the catalogue of the database is kept in, to start at once when it has not changed; one for each data source.
   * A file that cannot be read or written is a warning. Default: none.
   */
  readonly catalogueCache?: string | undefined;
}
