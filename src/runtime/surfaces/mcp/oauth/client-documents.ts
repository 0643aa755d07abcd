import { sha256Hex } from '#node/system/digest';
import type { McpStateClient } from '#platform-client/index';
import type { McpAuthorizationOptions } from './oauth-options.ts';

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
