import * as z from 'zod';

/**
 * What a token may do on the public API. `notes:write` does not include `notes:read`; `cosignatures:write` is for a machine that signs the
 * audit log.
 */
export const apiScopes = [
  'activity_logs:read',
  'admin_logs:read',
  'notes:read',
  'notes:write',
  'cosignatures:write',
] as const;
export type ApiScope = (typeof apiScopes)[number];

/**
 * With it, a token is that of a service account: agents take it for the person who made it, within what the rights say of a client with its
 * name. It opens nothing of the public API.
 */
export const agentScope = 'agents:use';

/** Scopes as they are asked for and shown: `all` stands for every scope of the public API. No scope allows managing tokens. */
export const wantedApiScopes = [...apiScopes, agentScope, 'all'] as const;
export type WantedApiScope = (typeof wantedApiScopes)[number];

/** Short names for sets of scopes. Neither has `cosignatures:write`. */
const apiTokenLevels = ['read-only', 'read-write'] as const;
export type ApiTokenLevel = (typeof apiTokenLevels)[number];

const daySeconds = 24 * 3600;
const maxApiTokenSeconds = 366 * daySeconds;
const maxOverlapSeconds = daySeconds;
/** A token that expires within this time is marked, and the log warns of it. */
export const expiresSoonMs = 14 * daySeconds * 1000;

const apiTokenNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'without control characters');

const cidrSchema = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'an address or a range such as 10.0.0.0/8');

/** `POST /api/projects/<project>/tokens`. */
export const createApiTokenSchema = z
  .strictObject({
    name: apiTokenNameSchema,
    /** Either these or a level. */
    scopes: z.array(z.enum(wantedApiScopes)).min(1).max(wantedApiScopes.length).optional(),
    level: z.enum(apiTokenLevels).optional(),
    /** At most 366 days. Default: 90 days on the platform of a team, 180 on the local one. */
    expiresInSeconds: z.int().min(60).max(maxApiTokenSeconds).optional(),
    neverExpires: z.literal(true).optional(),
    /** From where the token may be used: addresses and ranges. Default: from everywhere. */
    allowedCidrs: z.array(cidrSchema).max(50).default([]),
  })
  .refine(({ scopes, level }) => (scopes === undefined) !== (level === undefined), {
    error: 'give either "scopes" or "level"',
  })
  .refine(({ scopes, allowedCidrs }) => !scopes?.includes(agentScope) || allowedCidrs.length === 0, {
    path: ['allowedCidrs'],
    error: `agents do not check addresses for the platform: leave them out for ${agentScope}`,
  })
  .refine(({ scopes }) => !scopes?.includes(agentScope) || scopes.length === 1, {
    path: ['scopes'],
    error: `a service account has ${agentScope} and no other scope`,
  })
  .refine(({ expiresInSeconds, neverExpires }) => expiresInSeconds === undefined || neverExpires === undefined, {
    error: 'give either "expiresInSeconds" or "neverExpires"',
  });

/** `POST /api/projects/<project>/tokens/<id>/rotate`. */
export const rotateApiTokenSchema = z.strictObject({
  /** How long the secret before stays valid beside the new one. */
  overlapSeconds: z.int().min(0).max(maxOverlapSeconds).default(maxOverlapSeconds),
});

const apiTokenSchema = z.object({
  id: z.int(),
  name: z.string(),
  /** The last characters of the secret. */
  hint: z.string(),
  scopes: z.array(z.enum(wantedApiScopes)),
  allowedCidrs: z.array(z.string()),
  createdAt: z.iso.datetime(),
  createdBy: z.object({ id: z.int(), name: z.string(), email: z.string() }),
  lastUsedAt: z.iso.datetime().nullable(),
  lastUsedAddress: z.string().nullable(),
  /** `null`: it does not expire. */
  expiresAt: z.iso.datetime().nullable(),
  /** It is active, and expires within 14 days. */
  expiresSoon: z.boolean(),
  revokedAt: z.iso.datetime().nullable(),
  state: z.enum(['active', 'expired', 'revoked']),
});

/** `GET /api/projects/<project>/tokens`: active ones first, then the newest ones. */
export const apiTokenListSchema = z.object({ tokens: z.array(apiTokenSchema) });

/** The answer that makes a secret. It is the only place that has it: the same request sent again gets an answer without it. */
export const apiTokenWithSecretSchema = apiTokenSchema.extend({ token: z.string().optional() });

/** The same answer where a request came for the first time. */
export const newApiTokenSchema = apiTokenWithSecretSchema.required({ token: true });

export type ApiToken = z.infer<typeof apiTokenSchema>;
export type ApiTokenWithSecret = z.infer<typeof apiTokenWithSecretSchema>;
export type NewApiToken = z.infer<typeof newApiTokenSchema>;
export type ApiTokenList = z.infer<typeof apiTokenListSchema>;
export type CreateApiToken = z.infer<typeof createApiTokenSchema>;
export type RotateApiToken = z.infer<typeof rotateApiTokenSchema>;

/** The scopes that the asked ones stand for. */
export function scopesGranted(wanted: readonly WantedApiScope[]): ReadonlySet<ApiScope> {
  return new Set(wanted.flatMap((scope) => (scope === 'all' ? apiScopes : scope === agentScope ? [] : [scope])));
}

export function scopesOfLevel(level: ApiTokenLevel): readonly ApiScope[] {
  return apiScopes.filter((scope) => scope.endsWith(':read') || (level === 'read-write' && scope === 'notes:write'));
}
