import type { FastifyInstance } from 'fastify';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { createRequestCarrier } from '#node/http/carry-request';
import type { Guards } from '../access/guards.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { RightsRepository } from '../rights/rights-repository.ts';
import type { Store } from '../store/store.ts';
import { createAgentCodes, registerAgentCodeRoutes } from './agent-codes.ts';
import { type AgentTokens, createAgentTokens } from './agent-tokens.ts';
import { type ReachAgent, registerForwarding } from './forward-routes.ts';

export interface AgentAccessServices {
  readonly identity: IdentityRepository;
  readonly rights: RightsRepository;
  readonly events: EventHub;
}

export interface AgentAccessOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Default: the platform reaches no agent. */
  readonly reachAgent?: ReachAgent;
}

/** Agents give up a request after two minutes, and say so. */
const silenceMs = 150_000;

/** How the console reaches agents: by one-time codes, or through the platform. Resolves to the tokens that the platform has there. */
export function registerAgentAccess(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  { identity, rights, events }: AgentAccessServices,
  { clock, random, reachAgent = () => undefined }: AgentAccessOptions,
): AgentTokens {
  const codes = createAgentCodes({ store, sources: { identity, rights }, clock, random });
  registerAgentCodeRoutes(server, guards, codes);
  const carrier = createRequestCarrier(silenceMs);
  server.addHook('onClose', async () => carrier.close());
  const tokens = createAgentTokens({ codes, events, carrier, clock, random });
  registerForwarding(server, guards, { identity, tokens, carrier, reachAgent });
  return tokens;
}
