import type { AgentCode, AgentSession } from '#contracts/agent-codes';
import { ask, type Question, readJson, requireSuccess, sendOnce } from './http.ts';
import { impersonationId } from './session.ts';

/** An agent that the platform does not reach, and this page does. */
export interface DirectAgent {
  readonly environment: string;
  /** With its prefix, without a slash at its end. */
  readonly address: string;
}

interface HeldToken {
  readonly token: string;
  /** As `performance.now` counts. */
  readonly renewedFrom: number;
}

interface SharedToken {
  readonly environment: string;
  readonly token: string;
}

/** In memory only: it goes with the page. */
const tokens = new Map<string, HeldToken>();
/** The pages of the browser share what one of them has got, as far as they show what the same person sees. */
const shared = `vendor-cloud agent tokens ${impersonationId() ?? ''}`;
const channel = new BroadcastChannel(shared);
channel.addEventListener('message', ({ data }: MessageEvent<SharedToken>) => keep(data));

/** The part of its life after which a token is renewed. */
const renewalPart = 0.8;

/**
 * Send a request to an agent itself. A token that the agent refuses is renewed once: it did nothing then.
 *
 * @throws RequestFailed
 */
export async function sendToAgent(agent: DirectAgent, path: string, question: Question): Promise<Response> {
  const request = (token: string) => {
    const authorization = `Bearer ${token}`;
    return sendOnce(agent.address + path, { ...question, headers: { ...question.headers, authorization } });
  };
  const token = await tokenOf(agent);
  const response = await request(token);
  if (response.status !== 401) return requireSuccess(response);
  // Another page may have got a newer one meanwhile.
  if (tokens.get(agent.environment)?.token === token) tokens.delete(agent.environment);
  return requireSuccess(await request(await tokenOf(agent)));
}

/** A token that is good. Of all pages of the browser one gets it. */
async function tokenOf(agent: DirectAgent): Promise<string> {
  const held = freshToken(agent);
  if (held !== undefined) return held;
  return navigator.locks.request(`${shared} of ${agent.environment}`, async () => {
    const renewed = freshToken(agent);
    if (renewed !== undefined) return renewed;
    const made: SharedToken = { environment: agent.environment, token: await exchange(agent) };
    keep(made);
    channel.postMessage(made);
    return made.token;
  });
}

function freshToken({ environment }: DirectAgent): string | undefined {
  const held = tokens.get(environment);
  return held && performance.now() < held.renewedFrom ? held.token : undefined;
}

function keep({ environment, token }: SharedToken): void {
  tokens.set(environment, { token, renewedFrom: performance.now() + renewalPart * lifetimeOf(token) });
}

/** In milliseconds, by what the agent says of the token. The clock of this machine may be wrong. */
function lifetimeOf(token: string): number {
  const [, payload = ''] = token.split('.');
  const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { exp?: number; iat?: number };
  return ((claims.exp ?? 0) - (claims.iat ?? 0)) * 1_000;
}

/** Become known to the agent: a one-time code of the platform, with a secret that only this page knows (RFC 7636). */
async function exchange({ environment, address }: DirectAgent): Promise<string> {
  const codeVerifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const { code } = await ask<AgentCode>('/api/agent-codes', {
    method: 'POST',
    body: { codeChallenge: base64url(new Uint8Array(digest)) },
    headers: { 'service-environment': environment },
  });
  const answer = await sendOnce(`${address}/authentication/exchange`, {
    method: 'POST',
    body: { code, codeVerifier },
  });
  const { token } = await readJson<AgentSession>(await requireSuccess(answer));
  return token;
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
