import * as z from 'zod';

/**
 * What the authorization server of the MCP server keeps at the platform, so that all agents of an environment share it and it
 * outlives them. The kinds are those of the library that it is built with.
 */
export const mcpStateKinds = ['Client', 'Interaction', 'Grant', 'AuthorizationCode', 'RefreshToken'] as const;
export type McpStateKind = (typeof mcpStateKinds)[number];

/** SHA-256 in hexadecimal digits. Codes and tokens are their own ids, so that the platform learns none. */
const digestSchema = z.string().regex(/^[0-9a-f]{64}$/);
const payloadSchema = z.record(z.string(), z.unknown());
const maxDays = 400;

/** The path `/agent/v1/mcp/state/<kind>/<id>`, header `service-secret-key`. `DELETE` of a grant ends all that came of it. */
export const mcpStateKeySchema = z.strictObject({ kind: z.enum(mcpStateKinds), id: digestSchema });

/** `PUT` saves it, in place of what was there. 429 where the environment has too many of the kind. */
export const mcpStateSchema = z.strictObject({
  payload: payloadSchema,
  expiresInSeconds: z
    .int()
    .min(1)
    .max(maxDays * 24 * 3600),
  /** Whose it is. */
  personId: z.int().optional(),
  /** SHA-256 of the id of the client it was made for. */
  clientId: digestSchema.optional(),
  /** SHA-256 of the id of the grant it came of. */
  grantId: digestSchema.optional(),
});

/** `GET` reads it. `POST …/uses` reads it and marks it as used; the answer says whether it was used before. 404 for none. */
export const keptMcpStateSchema = z.object({
  payload: payloadSchema,
  /** Milliseconds since its first use; absent before that. */
  usedMsAgo: z.number().nonnegative().optional(),
});

export type McpStateKey = Readonly<z.infer<typeof mcpStateKeySchema>>;
export type McpState = Readonly<z.infer<typeof mcpStateSchema>>;
export type KeptMcpState = Readonly<z.infer<typeof keptMcpStateSchema>>;

/** Bytes of the body of a `PUT`. */
export const maxMcpStateBytes = 64 * 1024;
