import * as z from 'zod';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { sha256Hex } from '#node/system/digest';
import type { McpStateClient } from '#platform-client/index';
import type { McpAuthorizationOptions } from './oauth-options.ts';

/** Schemes of applications that take their answer by the operating system, and are not domains. Cursor on the desktop has no other way. */
const applicationSchemes: ReadonlySet<string> = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:']);
/** Those that RFC 8252 (7.1) has for everybody: a domain of their own, backwards, such as `com.example.app`. */
const privateUseScheme = /^[a-z][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+:$/;
/** The hosts of this machine whose port may differ from the registered one (RFC 8252). */
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a client may have an address to send browsers back to: `https:`, this machine over `http:`, or an application on it. */
export function isRedirectUri(uri: string): boolean {
  const url = URL.parse(uri);
  if (!url || uri.includes('#') || url.username !== '' || url.password !== '' || hasDotSegment(uri)) return false;
  if (url.protocol === 'https:') return !isLoopbackHost(url.hostname);
  if (url.protocol === 'http:') return loopbackHosts.has(url.hostname);
  return applicationSchemes.has(url.protocol) || privateUseScheme.test(url.protocol);
}

/** Whether everything that a client sends browsers back to is on the machine of the browser. */
export function isOfThisMachine(uris: readonly string[]): boolean {
  return uris.every((uri) => URL.parse(uri)?.protocol !== 'https:');
}

/** Where a browser goes back to, in words. */
export function destinationOf(uri: string): string {
  const { protocol, host, hostname } = new URL(uri);
  if (protocol === 'https:') return host;
  return protocol === 'http:'
    ? `a program on this computer (${hostname})`
    : `the application for ${protocol} addresses`;
}

function hasDotSegment(uri: string): boolean {
  return /\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(uri);
}

/**
 * A registration (RFC 7591), as far as the server takes it. Only public clients are registered; what else a client says of itself,
 * such as the address of its logo, is left out.
 */
const registrationSchema = z.object({
  client_name: z.string().max(200).optional(),
  redirect_uris: z
    .array(
      z.string().max(2048).refine(isRedirectUri, {
        error:
          'must be https:, http: on this machine, or the reversed domain of a program, without a fragment or a user',
      }),
    )
    .min(1)
    .max(10),
  // The server puts `none` in its place, and says so (RFC 7591, 3.2.1).
  token_endpoint_auth_method: z.string().optional(),
});

export interface RegistrationProblem {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  readonly error_description: string;
}

/** The metadata of a client to register, or what is wrong with what it sent. */
export function readRegistration(
  text: string,
): { readonly metadata: object } | { readonly problem: RegistrationProblem } {
  const read = registrationSchema.safeParse(parse(text));
  if (read.success) return { metadata: { ...read.data, ...clientDefaults } };
  const [issue] = read.error.issues;
  const place = issue?.path.join('.') ?? '';
  return {
    problem: {
      error: place.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      error_description: place === '' ? 'The body must be a JSON object.' : `"${place}": ${issue?.message}`,
    },
  };
}

/** What holds for every client. `native`: the port of an address on this machine may differ. */
export const clientDefaults = {
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
} as const;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How long a document is used that stands in for one that cannot be fetched. */
const standInSeconds = 600;
/** How long the platform keeps what a client said of itself when it was let in. */
const keptSeconds = 90 * 24 * 3600;

/** What is known of a client by its document. */
export interface ClientDocument {
  readonly client_id: string;
  readonly client_name?: string;
  readonly redirect_uris: readonly string[];
}

/** Keep what a client says of itself that is let in: the list of clients names it, and its tokens outlive its web server. */
export function keepClientDocument(state: McpStateClient, document: ClientDocument): Promise<void> {
  return state.save(keyOf(document.client_id), { payload: { ...document }, expiresInSeconds: keptSeconds });
}

/** The document at an address. While its server does not answer, it is the one with which the client was let in before. */
export async function fetchClientDocument(
  address: string,
  { fetchDocument, platform, logger }: McpAuthorizationOptions,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  const fetched = await fetchDocument(address, signal ? { signal } : {}).catch((error: Error) => error);
  if (fetched instanceof Response && fetched.status < 500) return fetched;
  const kept = await platform.mcpState.find(keyOf(address));
  if (!kept) {
    if (fetched instanceof Response) return fetched;
    throw fetched;
  }
  logger.log('Warn', 'The document of an MCP client cannot be fetched; the one before counts.', { client: address });
  return Response.json(kept.payload, { headers: { 'cache-control': `max-age=${standInSeconds}` } });
}

function keyOf(address: string) {
  return { kind: 'Client', id: sha256Hex(address) } as const;
}

/** The name of a client without characters that are not seen or that turn the text around them. */
export function shownClientName({ id, name = '' }: { readonly id: string; readonly name: string | undefined }): string {
  const seen = name.replaceAll(/\p{C}/gu, '').trim().slice(0, 100);
  if (seen !== '') return seen;
  return id.startsWith('https:') ? new URL(id).host : 'an application without a name';
}
