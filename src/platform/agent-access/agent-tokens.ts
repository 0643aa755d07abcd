import { json } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { agentSessionSchema } from '#contracts/agent-codes';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { RequestCarrier } from '#node/http/carry-request';
import type { ImpersonationInUse } from '../access/guards.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { PageSession } from '../page-access/page-session.ts';
import { type AgentCodes, challengeOf } from './agent-codes.ts';

/** A person at an agent that the platform reaches. */
interface ForwardedPerson {
  readonly session: PageSession;
  readonly environment: EnvironmentRecord;
  /** Of the agent, with its prefix and without a slash at its end. */
  readonly agentUrl: string;
  /** Where the browser is; `undefined` on the machine of the platform. */
  readonly clientAddress: string | undefined;
  /** Of an administrator who sees what somebody else sees. */
  readonly impersonation: ImpersonationInUse | undefined;
}

/**
 * The tokens that the platform has at agents for the browsers that are signed in: in memory, one for each session, environment and
 * address. Any event of an environment says that its people or rights may have changed, and drops them.
 */
export interface AgentTokens {
  /** A token that is good. Rejects with `AGENT_UNREACHABLE`, `AGENT_SIGN_IN_REFUSED` or `REQUEST_FORBIDDEN`. */
  of(person: ForwardedPerson): Promise<string>;
  /** An agent has refused one. */
  drop(sessionId: string): void;
  /** The browser was signed out: those that its pages have end too. */
  end(sessionId: string): Promise<void>;
}

export interface AgentTokenParts {
  readonly codes: AgentCodes;
  readonly events: EventHub;
  readonly carrier: RequestCarrier;
  readonly clock: Clock;
  readonly random: Random;
}

interface HeldToken {
  readonly token: string;
  /** Milliseconds since the epoch: from then on the next request gets a new one. */
  readonly renewedFrom: number;
}

type HeldTokens = LRUCache<string, Promise<HeldToken>>;

/** Browsers of one environment whose tokens are kept. Any other asks for a new one. */
const keptTokens = 1_000;
/** The part of its life after which a token is renewed. */
const renewalPart = 0.8;
const exchangeMs = 10_000;

export function createAgentTokens(parts: AgentTokenParts): AgentTokens {
  const { events, clock } = parts;
  const ofEnvironments = new Map<number, HeldTokens>();

  const heldIn = async ({ id }: EnvironmentRecord): Promise<HeldTokens> => {
    const newest = ofEnvironments.has(id) ? 0 : await events.newest(id);
    const known = ofEnvironments.get(id);
    if (known) return known;
    const held: HeldTokens = new LRUCache({ max: keptTokens });
    ofEnvironments.set(id, held);
    const end = () => {
      leave();
      ofEnvironments.delete(id);
    };
    const leave = events.subscribe(id, newest, { send: end, end });
    return held;
  };

  const drop = (sessionId: string) => {
    for (const held of ofEnvironments.values()) {
      for (const key of [...held.keys()]) if (key.startsWith(sessionId)) held.delete(key);
    }
  };

  return {
    of: async (person) => {
      const held = await heldIn(person.environment);
      const key = keyOf(person);
      const known = await held.get(key);
      if (known && clock.now() < known.renewedFrom) return known.token;
      const asked = exchange(person, parts);
      held.set(key, asked);
      asked.catch(() => held.delete(key));
      return (await asked).token;
    },
    drop,
    end: async (sessionId) => {
      drop(sessionId);
      await parts.codes.endVisits(sessionId);
    },
  };
}

function keyOf({ session, agentUrl, clientAddress, impersonation }: ForwardedPerson): string {
  return [session.id, agentUrl, clientAddress, impersonation?.id].join(' ');
}

/** Become known to the agent as any browser does that the platform does not forward: with a one-time code. */
async function exchange(
  { session, environment, agentUrl, clientAddress, impersonation }: ForwardedPerson,
  { codes, carrier, clock, random }: AgentTokenParts,
): Promise<HeldToken> {
  const begunAt = clock.now();
  const codeVerifier = random.hex(32);
  const { code } = await codes.make({
    session,
    environment,
    codeChallenge: challengeOf(codeVerifier),
    isOfPage: false,
    clientAddress,
    impersonation,
  });
  const answer = await carrier
    .carry({
      url: new URL(`${agentUrl}/authentication/exchange`),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, codeVerifier }),
      signal: AbortSignal.timeout(exchangeMs),
    })
    .catch((cause: unknown) => {
      throw unreachable(environment, cause);
    });
  if (answer.statusCode !== 200) {
    answer.resume();
    throw codeRefused(environment, answer.statusCode);
  }
  const made = agentSessionSchema.parse(await json(answer));
  const expiresAt = Date.parse(made.expiresAt);
  // One that ends with the session is not followed by another.
  const isLast = expiresAt > Math.min(session.expiresAt, impersonation?.expiresAt ?? Number.POSITIVE_INFINITY) - 2000;
  return { token: made.token, renewedFrom: isLast ? expiresAt : begunAt + renewalPart * (expiresAt - begunAt) };
}

export function unreachable({ name }: Pick<EnvironmentRecord, 'name'>, cause: unknown): CloudError {
  return cloudError(
    'AGENT_UNREACHABLE',
    `The agent of the environment "${name}" does not answer the platform.`,
    'See that it runs, then try again.',
    { cause },
  );
}

function codeRefused({ name }: Pick<EnvironmentRecord, 'name'>, status: number | undefined): CloudError {
  return cloudError(
    'AGENT_SIGN_IN_REFUSED',
    `The agent of the environment "${name}" did not take the sign-in of the platform: it answered with ${status}.`,
    'See that it belongs to this environment and this platform, and that it is of the version of the platform or newer.',
  );
}
