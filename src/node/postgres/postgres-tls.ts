import type { ConnectionOptions } from 'node:tls';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { postgresFailure, queryError, unreachable } from './postgres-errors.ts';
import type { PostgresServer } from './postgres-hosts.ts';
import { offersTls } from './postgres-wire.ts';

/** The error of a connection that could not be opened. Its message names the server, never the user or the password. */
export function connectError(error: unknown, { host, port }: PostgresServer): unknown {
  if (postgresFailure(error)) return queryError(error, false);
  const code = errorCode(error);
  if (isCertificateProblem(code)) return tlsFailed(`The certificate of the server is not trusted (${code}).`, error);
  const why = code === '' ? 'does not answer' : `cannot be reached (${code})`;
  return unreachable(`The database server at ${host}, port ${port}, ${why}.`, error);
}

function tlsFailed(message: string, cause?: unknown): CloudError {
  return cloudError(
    'DATABASE_TLS_FAILED',
    message,
    'Change the SSL mode of the connection, or give the certificate authority to trust.',
    { cause },
  );
}

export function passwordMissing(cause: unknown): CloudError {
  return cloudError(
    'DATABASE_AUTHENTICATION_FAILED',
    'The database server asks for a password, and none is given.',
    'Give the connection a password.',
    { cause },
  );
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isCertificateProblem(code: string): boolean {
  return /^ERR_(?:TLS|SSL)|CERT|^UNABLE_TO_/.test(code);
}

/**
 * How to encrypt connections; `undefined` for not at all. Asks the server whether it can, unless encryption is
 * disabled.
 */
export async function negotiateTls(
  server: PostgresServer,
  connectTimeoutMs: number,
): Promise<ConnectionOptions | undefined> {
  const mode = server.sslMode ?? 'preferred';
  if (mode === 'disabled') return undefined;
  let isOffered: boolean;
  try {
    isOffered = await offersTls(server, connectTimeoutMs);
  } catch (error) {
    throw connectError(error, server);
  }
  if (!isOffered && mode !== 'preferred') {
    throw tlsFailed(`The connection must be encrypted (SSL mode "${mode}"), which the database server does not offer.`);
  }
  if (!isOffered) return undefined;
  if (mode !== 'verify') return { rejectUnauthorized: false };
  const ca = server.sslCertificateAuthority;
  return ca === undefined ? { rejectUnauthorized: true } : { rejectUnauthorized: true, ca };
}
