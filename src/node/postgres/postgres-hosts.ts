import { isIP } from 'node:net';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresParameters, PostgresTarget } from '#kernel/ports/postgres-pool';
import { unreachable } from './postgres-errors.ts';

/** How long the server that did last has to answer before the others are asked too, in milliseconds. */
const headStartMs = 1000;

const defaultPort = 5432;

/** The parameters of one server. */
export interface PostgresServer extends PostgresParameters {
  readonly port: number;
  readonly target: PostgresTarget;
}

/** The servers that the parameters name, in order. Of several, the primary is meant unless `target` says something else. */
export function serversOf(parameters: PostgresParameters): [PostgresServer, ...PostgresServer[]] {
  const { host, port = defaultPort } = parameters;
  const [first = host, ...others] = host.split(',');
  const target = parameters.target ?? (others.length > 0 ? 'primary' : 'any');
  const serverOf = (text: string): PostgresServer => {
    // An address of version 6 without brackets has colons of its own, and so may the folder of a socket.
    const hasPort = !text.startsWith('/') && isIP(text) !== 6;
    const [, name = text, ownPort = String(port)] = hasPort ? (/^(.*):(\d+)$/.exec(text) ?? []) : [];
    return { ...parameters, host: name.replace(/^\[|\]$/g, ''), port: Number(ownPort), target };
  };
  return [serverOf(first), ...others.map(serverOf)];
}

/** Asks a server what it is. For `checkRole`. */
export const roleQuery = `select pg_catalog.pg_is_in_recovery()::text as "isStandby",
  pg_catalog.current_setting('transaction_read_only') as "isReadOnly"`;

/**
 * Refuse a server that will not do.
 *
 * @param role the row of `roleQuery`.
 * @throws `DATABASE_UNREACHABLE`: another server may do, or this one later.
 */
export function checkRole(role: Readonly<Record<string, unknown>> | undefined, server: PostgresServer): void {
  const isStandby = role?.['isStandby'] === 'true';
  if (!isStandby && !(server.target === 'read-write' && role?.['isReadOnly'] === 'on')) return;
  const what = isStandby ? 'is a standby' : 'accepts no writes';
  throw unreachable(`The database server at ${server.host}, port ${server.port}, ${what}.`);
}

/** Opens connections at whichever of several servers will do. */
export interface HostChoice {
  /**
   * @param open connects to a server, in limited time; rejects when it will not do.
   * @param discard closes a connection that came too late. Never rejects.
   */
  open<Connection>(
    open: (server: PostgresServer) => Promise<Connection>,
    discard: (connection: Connection) => Promise<void>,
  ): Promise<Connection>;
}

/**
 * The server that did last is asked first. When it does not answer within a second, or will not do, all others are asked at
 * once, and the first that will do is taken. A host that swallows packets delays nobody for long.
 */
export function createHostChoice(parameters: PostgresParameters): HostChoice {
  let [likely, ...others] = serversOf(parameters);
  return {
    async open(open, discard) {
      if (others.length === 0) return open(likely);
      const attempt = async (server: PostgresServer) => ({ server, connection: await open(server) });
      const first = attempt(likely);
      const early = await withinHeadStart(first);
      if (early) return early.connection;
      const attempts = [first, ...others.map(attempt)];
      const winner = await Promise.any(attempts).catch(({ errors }: AggregateError) => {
        throw mostTelling(errors);
      });
      for (const late of attempts) {
        // Why another server will not do concerns nobody now.
        void late.then((one) => (one === winner ? undefined : discard(one.connection))).catch(() => undefined);
      }
      others = [likely, ...others].filter((server) => server !== winner.server);
      likely = winner.server;
      return winner.connection;
    },
  };
}

/** `undefined` for what takes longer, or fails. */
async function withinHeadStart<Value>(attempt: Promise<Value>): Promise<Value | undefined> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.resolve(), headStartMs);
  try {
    return (await Promise.race([attempt, late.promise])) ?? undefined;
  } catch {
    // The attempt stays in the list of attempts, and its error with it.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** A server that refuses the user says more than those that are away. */
function mostTelling(errors: readonly unknown[]): unknown {
  const telling = errors.find((error) => !isCloudError(error) || error.code !== 'DATABASE_UNREACHABLE');
  if (telling) return telling;
  const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  return unreachable(reasons.join(' '), new AggregateError(errors));
}
