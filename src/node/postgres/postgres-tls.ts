import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
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

const otherMode = 'Change the SSL mode of the connection, or give the certificate authority to trust.';

function tlsFailed(message: string, cause?: unknown, nextStep = otherMode): CloudError {
  return cloudError('DATABASE_TLS_FAILED', message, nextStep, { cause });
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
  const isBound = server.channelBinding === 'require';
  if (mode === 'disabled' && !isBound) return undefined;
  let isOffered: boolean;
  try {
    isOffered = mode !== 'disabled' && (await offersTls(server, connectTimeoutMs));
  } catch (error) {
    throw connectError(error, server);
  }
  if (!isOffered && isBound) throw bindingFailed('the connection is not encrypted');
  if (!isOffered && mode !== 'preferred') {
    throw tlsFailed(`The connection must be encrypted (SSL mode "${mode}"), which the database server does not offer.`);
  }
  if (!isOffered) return undefined;
  const { cert, key, ca } = await readPems(server);
  const ofClient = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  if (mode !== 'verify' && mode !== 'verify-ca') return { ...ofClient, rejectUnauthorized: false };
  if (ca === undefined) return { ...ofClient, rejectUnauthorized: true };
  const name = mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {};
  return { ...ofClient, ...name, rejectUnauthorized: true, ca };
}

/** The texts of what the parameters name; a text of authorities counts before their file. */
async function readPems({ sslFiles = {}, sslCertificateAuthority }: PostgresServer) {
  const [ca, cert, key] = [
    sslCertificateAuthority ?? (await readPem('sslrootcert', sslFiles.authority)),
    await readPem('sslcert', sslFiles.certificate),
    await readPem('sslkey', sslFiles.key),
  ];
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw tlsFailed(
      `The files of "sslcert" and "sslkey" are not a certificate and its key (${errorCode(error)}).`,
      error,
      readable,
    );
  }
  return { ca, cert, key };
}

const readable = 'Correct the file in the address of the database; its text is PEM, and a key has no password.';

async function readPem(parameter: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw tlsFailed(`The file of "${parameter}" cannot be read (${errorCode(error)}): ${file}`, error, readable);
  }
  if (text.includes('-----BEGIN ')) return text;
  throw tlsFailed(`The file of "${parameter}" is not a text in PEM: ${file}`, undefined, readable);
}

/** Where `channel_binding=require` cannot be had. */
export function bindingFailed(reason: string, cause?: unknown): CloudError {
  return tlsFailed(
    `"channel_binding=require" ties the login to the encrypted channel, and ${reason}.`,
    cause,
    'Have the server offer TLS and keep the password as SCRAM-SHA-256, or leave "channel_binding" out and write "sslmode=verify-full".',
  );
}
