import * as z from 'zod';
import { agentTokenClaimsSchema } from './agent-token.ts';

/** How long a code for an agent is good, in seconds. */
export const agentCodeSeconds = 60;

/** 43 to 128 characters, as RFC 7636 says. */
const codeVerifierSchema = z.string().regex(/^[\w.~-]{43,128}$/, '43 to 128 unreserved characters');

/**
 * `POST /api/agent-codes`, with the session of a browser: a one-time code for the agent of an environment. It is for the rendering of the
 * team of the person.
 */
export const makeAgentCodeSchema = z.strictObject({
  /** Base64url of the SHA-256 of the verifier. */
  codeChallenge: z.string().regex(/^[\w-]{43}$/, 'base64url of a SHA-256'),
});

export const agentCodeSchema = z.object({
  code: z.string(),
  environment: z.string(),
  renderingId: z.number().int(),
  expiresAt: z.iso.datetime(),
});

/**
 * `POST <agent>/authentication/exchange`: a code for a session token of the agent. The agent asks the platform with the same body, at
 * `POST /agent/v1/exchanged-code`, header `service-secret-key`.
 */
export const exchangeCodeSchema = z.strictObject({ code: z.string().max(200), codeVerifier: codeVerifierSchema });

/** The answer of the agent. */
export const agentSessionSchema = z.object({ token: z.string(), expiresAt: z.iso.datetime() });

/** The answer of the platform: who comes, and until when. */
export const exchangedCodeSchema = z.object({
  person: agentTokenClaimsSchema,
  /** Seconds since the epoch. */
  expiresAt: z.number().int(),
});

export type AgentCode = z.infer<typeof agentCodeSchema>;
export type AgentSession = z.infer<typeof agentSessionSchema>;
export type ExchangeCode = z.infer<typeof exchangeCodeSchema>;
export type ExchangedCode = z.infer<typeof exchangedCodeSchema>;
