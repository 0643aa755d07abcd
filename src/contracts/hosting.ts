import * as z from 'zod';
import { projectDataSourcesSchema } from './project-config.ts';
import { restSettingsSchema } from './rest-settings.ts';
import { sha256Schema } from './versions.ts';

/**
 * What `vendor-cloud serve` and the platform say to one another, header `service-secret-key`:
 *
 * | request | answer |
 * |---|---|
 * | `POST /host/v1/beats`, `beatSchema` | 200 `ordersSchema` |
 * | `GET /host/v1/bundles/<sha256>` | 200, the bytes |
 * | `GET /host/v1/variables/<revision>` | 200 `hostVariablesSchema` |
 * | `DELETE /host/v1/hosts/<id>` | 204; the host serves no more |
 *
 * The orders are the whole of what is wanted, and not a change of it: a host that missed some brings itself to the newest.
 */

/** How often a host tells that it is there, in milliseconds. */
export const hostBeatMs = 10_000;
/** After this many milliseconds of silence a host counts as gone. */
export const hostGoneMs = 30_000;

/** A deployment as a host serves it: code, databases, and variables. */
export const hostedProgramSchema = z.object({
  /** Number of the deployment in its environment. */
  deployment: z.number().int().positive(),
  /** Number of the version in its project. */
  version: z.number().int().positive(),
  code: z.object({ digest: sha256Schema, sizeBytes: z.number().int().nonnegative() }),
  /** As `vendor-cloud.json` has them: `${NAME}` stands for a variable of the environment. */
  dataSources: projectDataSourcesSchema,
  /** Whether a write is refused whose record cannot be made. */
  activityRequired: z.literal(true).optional(),
  /** How the REST API takes parameters. */
  rest: restSettingsSchema.optional(),
  variablesRevision: z.number().int().nonnegative(),
  /** Version of this package that built the code. Older platforms do not tell it. */
  builtWith: z.string().optional(),
});

export const ordersSchema = z.object({
  /** What to serve; `null` before the first deployment. */
  serve: hostedProgramSchema.nullable(),
  /** What to check beside it, before it is served anywhere. */
  check: hostedProgramSchema.nullable(),
});

const hostLogLineSchema = z.strictObject({
  /** ISO 8601, UTC. */
  at: z.iso.datetime(),
  level: z.enum(['Debug', 'Info', 'Warn', 'Error']),
  text: z.string().max(4000),
});

/** Lines that one beat carries at most. */
export const maxLinesPerBeat = 200;

export const beatSchema = z.strictObject({
  /** Made up by the host, and kept as long as it runs. */
  host: z.uuid(),
  /** What people know the machine by. */
  name: z.string().min(1).max(200),
  workers: z.number().int().min(1).max(1024),
  /** Number of the deployment that answers requests; `null` for none. */
  serving: z.number().int().positive().nullable(),
  /** Number of the deployment that passed its check here. */
  checked: z.number().int().positive().nullable(),
  /** The deployment that was refused here last, and why. */
  refused: z.object({ deployment: z.number().int().positive(), reason: z.string().max(4000) }).nullable(),
  log: z.array(hostLogLineSchema).max(maxLinesPerBeat),
});

export const hostVariablesSchema = z.object({
  revision: z.number().int().nonnegative(),
  variables: z.record(z.string(), z.string()),
  /** Signs the session tokens of the agent, on every host of the environment alike. */
  authSecret: z.string().min(1),
});

export type HostedProgram = z.infer<typeof hostedProgramSchema>;
export type Orders = z.infer<typeof ordersSchema>;
export type HostLogLine = z.infer<typeof hostLogLineSchema>;
export type Beat = z.infer<typeof beatSchema>;
export type HostVariables = z.infer<typeof hostVariablesSchema>;
