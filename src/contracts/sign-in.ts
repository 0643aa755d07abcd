import * as z from 'zod';
import { permissionLevels } from './identity.ts';

/** Where the platform's OpenID provider is, relative to its address: its issuer. */
export const signInIssuerPath = 'oidc';

/** The command line, as the OpenID provider knows it. */
export const commandLineClientId = 'vendor-cloud';

/**
 * The claim of an ID token that says when what the sign-in leads to has to end, in seconds since the epoch. Absent where only the
 * agent itself bounds it.
 */
export const sessionEndClaim = 'session_expiry';

/** Where browsers come back to from a sign-in for the MCP server of an agent, below its base path. */
export const mcpCallbackPath = '/oauth/signed-in';

/** `POST /oidc/reg`, `Authorization: Bearer <environment secret>`: an agent makes itself known. */
export const agentRegistrationSchema = z.object({
  /** An agent cannot keep a secret from whoever runs it. */
  token_endpoint_auth_method: z.literal('none').optional(),
  /** Where browsers come back to; without it, the address the platform has of the agent. */
  redirect_uris: z
    .array(z.url({ protocol: /^https?$/ }))
    .min(1)
    .max(10)
    .optional(),
});

/** `GET /agent/v2/renderings/<id>/authorization`, header `service-token: <access token>`: who has signed in. */
export const signedInUserSchema = z.object({
  data: z.object({
    id: z.string(),
    attributes: z.object({
      email: z.string(),
      first_name: z.string(),
      last_name: z.string(),
      /** The first one is the one of the rendering. */
      teams: z.array(z.string()),
      role: z.string(),
      /** All of them, that one first. Absent on a platform that knows one. */
      roles: z.array(z.string()).optional(),
      permission_level: z.enum(permissionLevels),
      tags: z.array(z.object({ key: z.string(), value: z.string() })).nullish(),
    }),
  }),
});

export type SignedInUser = z.infer<typeof signedInUserSchema>;

/** Where a one-time link leads, below the address of the platform. Its secret is behind the `#`, which no server is sent. */
export const signInLinkPath = '/sign-in-link';

/** `POST /api/sign-in-links`, on the platform of one developer and from the same machine only. */
export const makeSignInLinkSchema = z.strictObject({
  /** Id of the member that the link signs in. Default: whoever asks. Another takes the right to manage people. */
  person: z.number().int().positive().optional(),
});

/** The answer, which alone has the link. It is good once, and for a minute; a newer link takes its place. */
export const signInLinkSchema = z.object({ link: z.url(), expiresAt: z.iso.datetime() });

export type SignInLink = z.infer<typeof signInLinkSchema>;
