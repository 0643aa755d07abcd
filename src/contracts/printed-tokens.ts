import * as z from 'zod';
import { agentTokenClaimsSchema } from './agent-token.ts';
import { agentTokenLifetimeSeconds } from './sessions.ts';

/** What a printed token opens: the REST API of an agent, its MCP server, or the API of the platform. */
const tokenAudiences = ['agent', 'mcp', 'platform'] as const;
export type TokenAudience = (typeof tokenAudiences)[number];

export const defaultPrintedSeconds = 3600;
export const leastPrintedSeconds = 60;
const mostSeconds = 30 * 24 * 3600;

/**
 * `POST /api/printed-tokens`: a token of one's own, that lives no longer than the one of the request. A printed token prints no
 * other. What is for an agent or its MCP server is exchanged there, with `printedForAgentSchema`.
 */
export const printTokenSchema = z
  .strictObject({
    audience: z.enum(tokenAudiences),
    expiresInSeconds: z.number().int().min(leastPrintedSeconds).max(mostSeconds).default(defaultPrintedSeconds),
    /** Whatever it opens refuses writes with it. */
    readOnly: z.boolean().default(false),
  })
  .refine(
    ({ audience, expiresInSeconds }) => audience === 'platform' || expiresInSeconds <= agentTokenLifetimeSeconds,
    { path: ['expiresInSeconds'], message: `at most ${agentTokenLifetimeSeconds} for an agent and its MCP server` },
  );

export const printedTokenSchema = z.object({
  token: z.string(),
  audience: z.enum(tokenAudiences),
  environment: z.string(),
  expiresAt: z.iso.datetime(),
  readOnly: z.boolean(),
});

/**
 * A token that was printed for an agent or its MCP server. `POST <agent>/authentication/printed-token` exchanges it for one of theirs,
 * `POST /agent/v1/printed-token` of the platform, header `service-secret-key`, tells the agent whose it is.
 */
export const printedForAgentSchema = z.strictObject({ token: z.string().max(200) });

/**
 * The token of a service account. The same route of the agent exchanges it, with the audience that is wanted;
 * `POST /agent/v1/service-account` of the platform, header `service-secret-key`, tells the agent whose it is.
 */
export const serviceAccountSchema = z.strictObject({
  token: z.string().max(200),
  audience: z.enum(['agent', 'mcp']).default('agent'),
});

/** The answer of the agent: for its MCP server, `url` is the endpoint that the token is for. */
export const exchangedTokenSchema = z.object({ token: z.string(), url: z.url().optional() });

/** The answer of the platform: whose it is, and for how long. */
export const printedTokenOwnerSchema = z.object({
  person: agentTokenClaimsSchema,
  audience: z.enum(['agent', 'mcp']),
  /** Seconds since the epoch. */
  expiresAt: z.number().int(),
  readOnly: z.boolean(),
});

export type PrintedToken = z.infer<typeof printedTokenSchema>;
export type PrintedTokenOwner = z.infer<typeof printedTokenOwnerSchema>;
