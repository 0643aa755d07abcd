import type { Http, HttpResponse } from '#kernel/ports/http';
import { bodyOf, exchange, type JsonRequest } from './json-exchange.ts';
import type { TestUser } from './session-token.ts';

interface AgentRequest extends Pick<JsonRequest, 'json' | 'errorOf'> {
  readonly method: JsonRequest['method'];
  /** Begins after the prefix of the agent. */
  readonly path: string;
  /** Sent along with the time zone. */
  readonly query?: URLSearchParams;
}

/** Sends the requests of one user to the agent. All reject with `AgentHttpError` or `TEST_AGENT_UNREACHABLE`. */
export interface AgentConnection {
  /** IANA name of the zone that every request carries. */
  readonly timezone: string;
  send(request: AgentRequest): Promise<HttpResponse>;
  /** Id of the user. */
  userId(): Promise<number>;
  /** The body of the answer: parsed where it is JSON, `null` where it is empty. */
  ask(request: AgentRequest): Promise<unknown>;
}

export interface ConnectionOptions {
  readonly http: Http;
  /** Origin and prefix of the agent. */
  readonly base: string;
  readonly timezone: string;
  readonly timeoutMs: number | undefined;
  readonly user: TestUser;
}

export function createAgentConnection(options: ConnectionOptions): AgentConnection {
  const { http, base, timezone, timeoutMs: deadlineMs, user } = options;
  const send = async ({ path, query = new URLSearchParams(), ...request }: AgentRequest) => {
    query.set('timezone', timezone);
    const headers = { authorization: `Bearer ${await user.token()}` };
    return exchange(http, { ...request, url: `${base}${path}?${query}`, headers, deadlineMs });
  };
  return { timezone, send, userId: user.id, ask: async (request) => bodyOf(await send(request)) };
}

/** Origin and prefix of an agent; the prefix is `/service` where the address has none. */
export function agentBase(agentUrl: string): string {
  const { origin, pathname } = new URL(agentUrl);
  const prefix = pathname.replace(/\/+$/, '');
  return `${origin}${prefix === '' ? '/service' : prefix}`;
}
