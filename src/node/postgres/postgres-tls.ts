import type { ConnectionOptions } from 'node:tls';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import { connectError, tlsFailed } from './postgres-connect-errors.ts';
import { offersTls } from './postgres-wire.ts';

/**
 * How to encrypt connections; `undefined` for not at all. Asks the server whether it can, unless encryption is
 * disabled.
 */
export async function negotiateTls(
  parameters: PostgresParameters,
  connectTimeoutMs: number,
): Promise<ConnectionOptions | undefined> {
  const mode = parameters.sslMode ?? 'preferred';
  if (mode === 'disabled') return undefined;
  let isOffered: boolean;
  try {
    isOffered = await offersTls({ host: parameters.host, port: parameters.port ?? 5432 }, connectTimeoutMs);
  } catch (error) {
    throw connectError(error, parameters);
  }
  if (!isOffered && mode !== 'preferred') {
    throw tlsFailed(`The connection must be encrypted (SSL mode "${mode}"), which the database server does not offer.`);
  }
  if (!isOffered) return undefined;
  if (mode !== 'verify') return { rejectUnauthorized: false };
  const ca = parameters.sslCertificateAuthority;
  return ca === undefined ? { rejectUnauthorized: true } : { rejectUnauthorized: true, ca };
}
