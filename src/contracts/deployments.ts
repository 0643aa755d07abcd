import * as z from 'zod';

/**
 * Deployments of an environment, `Authorization: Bearer <user token>`; the header `service-environment` names another
 * environment of the project than the token's:
 *
 * | request | answer |
 * |---|---|
 * | `POST /api/deployments`, `createDeploymentSchema` | 201 `deploymentSchema`; the same `idempotencyKey` gives the same one |
 * | `GET /api/deployments?limit=&before=` | `deploymentListSchema`, newest first |
 * | `GET /api/deployments/<number>` | `deploymentSchema` |
 * | `GET /api/deployments/<number>/log?after=&waitMs=` | `deploymentLogSchema`; waits until there is more than `after` |
 * | `GET /api/hosts` | `hostListSchema` |
 * | `GET /api/logs?limit=&before=&level=&host=` | `logPageSchema`, newest first: what hosts and customization code said |
 */
const deploymentStates = ['queued', 'checking', 'live', 'failed', 'replaced'] as const;

export const createDeploymentSchema = z.strictObject({
  target: z.union([
    /** A version, with the newest variables. */
    z.strictObject({ version: z.number().int().positive() }),
    /** What an earlier deployment served, with the variables it had. */
    z.strictObject({ deployment: z.number().int().positive() }),
  ]),
  /**
   * The deployment that is to be replaced: the newest one that is live, queued or being checked, and `null` for the first. When
   * that is another one by now, nothing is done (409).
   */
  base: z.number().int().positive().nullable(),
  idempotencyKey: z.uuid(),
});

export const deploymentSchema = z.object({
  /** Counts from 1 in each environment. */
  number: z.number().int().positive(),
  version: z.number().int().positive(),
  variablesRevision: z.number().int().nonnegative(),
  /** `live` serves; `replaced` served once. */
  state: z.enum(deploymentStates),
  /** Why it failed, or what to know about one that is live. */
  note: z.string().nullable(),
  author: z.object({ name: z.string(), email: z.string() }),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  /** When it went live or failed. */
  finishedAt: z.iso.datetime().nullable(),
});

export const deploymentListSchema = z.object({
  /** Number of the deployment that is live; `null` for none. */
  live: z.number().int().positive().nullable(),
  /** Newest revision of the variables, which the next deployment takes. */
  newestVariables: z.number().int().nonnegative(),
  deployments: z.array(deploymentSchema),
  /** Pass as `before` for the next page; `null` on the last. */
  nextBefore: z.number().int().positive().nullable(),
});

export const deploymentLogSchema = z.object({
  state: z.enum(deploymentStates),
  lines: z.array(z.object({ sequence: z.number().int().positive(), at: z.iso.datetime(), text: z.string() })),
});

/**
 * What the platform makes of what a host says of itself:
 *
 * | state | what it means |
 * |---|---|
 * | `serves` | it serves what is live, or what is about to be |
 * | `checks` | it serves what is live, and checks the next deployment beside it |
 * | `behind` | it serves nothing, or a deployment from before |
 * | `refuses` | it refused what it is to serve |
 * | `contradicts` | it says that it serves a deployment that no host was ever asked to serve |
 * | `gone` | it has been silent for too long |
 */
const hostStates = ['serves', 'checks', 'behind', 'refuses', 'contradicts', 'gone'] as const;

const hostSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  workers: z.number().int().positive(),
  /** Number of the deployment that it says it serves. */
  serving: z.number().int().positive().nullable(),
  /** The version of that deployment; `null` where the environment has no such deployment. */
  version: z.number().int().positive().nullable(),
  /** When that deployment went live; `null` before. */
  liveSince: z.iso.datetime().nullable(),
  /** Number of the deployment that it is to serve; `null` for none. */
  wanted: z.number().int().positive().nullable(),
  state: z.enum(hostStates),
  /** The deployment that it refused last, and why. */
  refused: z.object({ deployment: z.number().int().positive(), reason: z.string() }).nullable(),
  seenAt: z.iso.datetime(),
  isConnected: z.boolean(),
});

export const hostListSchema = z.object({ hosts: z.array(hostSchema) });

export const logPageSchema = z.object({
  lines: z.array(
    z.object({
      sequence: z.number().int().positive(),
      host: z.string(),
      at: z.iso.datetime(),
      level: z.enum(['Debug', 'Info', 'Warn', 'Error']),
      text: z.string(),
    }),
  ),
  nextBefore: z.number().int().positive().nullable(),
});

export type DeploymentState = (typeof deploymentStates)[number];
export type CreateDeployment = z.infer<typeof createDeploymentSchema>;
export type Deployment = z.infer<typeof deploymentSchema>;
export type DeploymentList = z.infer<typeof deploymentListSchema>;
export type DeploymentLog = z.infer<typeof deploymentLogSchema>;
export type Host = z.infer<typeof hostSchema>;
export type HostList = z.infer<typeof hostListSchema>;
export type LogPage = z.infer<typeof logPageSchema>;
