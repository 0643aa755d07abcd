import { cloudError } from '#kernel/errors/cloud-error';
import type { Http, HttpRequest, HttpResponse } from '#kernel/ports/http';
import type { WorkerListening } from '../agent-worker/worker-protocol.ts';
import type { UsedPlatform } from '../local-platform/used-platform.ts';

export interface ReadyCheck {
  readonly servers: WorkerListening;
  readonly platform: UsedPlatform;
  /** Counted through the agent. */
  readonly collection: string | undefined;
  /** The session ends. */
  readonly signal: AbortSignal;
}

/** The servers are those of this session: on a busy machine they answer late, and whoever started them says when that is too late. */
const deadlineMs = 60 * 60_000;

/** Ask each server something only a working one can answer. "Ready" is not said before. */
export async function checkReady(http: Http, { servers, platform, collection, signal }: ReadyCheck): Promise<void> {
  const toolsList = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const agentPath = collection === undefined ? '' : `/${encodeURIComponent(collection)}/count?timezone=UTC`;
  const expectOk = answersOk({ send: (request) => http.send({ ...request, deadlineMs, signal }) });
  await Promise.all([
    expectOk(
      'The agent',
      {
        method: 'GET',
        url: `${servers.agentUrl}${agentPath}`,
        headers: { authorization: `Bearer ${servers.agentToken}` },
      },
      tellsOfOutage,
    ),
    expectOk('The platform', {
      method: 'GET',
      url: `${platform.url}/api/me`,
      headers: { authorization: `Bearer ${platform.userToken}` },
    }),
    expectOk('The MCP server', {
      method: 'POST',
      url: servers.mcpUrl,
      headers: {
        authorization: `Bearer ${servers.mcpToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: toolsList,
    }),
  ]);
}

/** The agent works where it says that its database is away. */
function tellsOfOutage({ status, body }: HttpResponse): boolean {
  return status === 503 && new TextDecoder().decode(body).includes('"DATABASE_UNREACHABLE"');
}

function answersOk(http: Http) {
  return async (
    who: string,
    request: HttpRequest,
    isAlsoRight: (response: HttpResponse) => boolean = () => false,
  ): Promise<void> => {
    const response = await http.send(request);
    const { status, body } = response;
    if (status === 200 || isAlsoRight(response)) return;
    throw cloudError('INTERNAL_BUG', `${who} answered its first request with ${status}.`, [], {
      details: { answer: new TextDecoder().decode(body).slice(0, 500) },
    });
  };
}
