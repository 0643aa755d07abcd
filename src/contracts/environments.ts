import * as z from 'zod';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { projectDataSourcesSchema } from './project-config.ts';

/** Names that fit into a header and a path. */
const environmentNameSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and hyphens');

/** Where an agent answers, with its prefix: `https://admin.example.com/service`. Without TLS for this machine only. */
export const agentAddressSchema = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((text) => {
    const { search, hash, username, password } = new URL(text);
    return search + hash + username + password === '';
  }, 'an address without a query, a fragment or a password')
  .refine((text) => {
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || isLoopbackHost(hostname);
  }, 'an https address, or one of this machine');

const agentAddressesSchema = z.array(agentAddressSchema).max(20);

export const environmentSettingsSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  type: z.enum(['development', 'production']),
  agentAddresses: z.array(z.string()),
});

/** `GET /api/environments`, by name. */
export const environmentListSchema = z.object({ environments: z.array(environmentSettingsSchema) });

/** `POST /api/environments`. */
export const createEnvironmentSchema = z.strictObject({
  name: environmentNameSchema,
  type: z.enum(['development', 'production']),
  agentAddresses: agentAddressesSchema.optional(),
});

/** The answer of `POST /api/environments` and of `POST /api/environments/<name>/secret`: the only places that have the secret. */
export const environmentWithSecretSchema = environmentSettingsSchema.extend({ secret: z.string() });

/** `PATCH /api/environments/<name>`. */
export const changeEnvironmentSchema = z.strictObject({
  /** Where browsers may come back to after signing in. Empty: to the agent that asks. */
  agentAddresses: agentAddressesSchema,
});

export type EnvironmentSettings = z.infer<typeof environmentSettingsSchema>;
export type EnvironmentWithSecret = z.infer<typeof environmentWithSecretSchema>;
export type CreateEnvironment = z.infer<typeof createEnvironmentSchema>;
export type ChangeEnvironment = z.infer<typeof changeEnvironmentSchema>;

/**
 * `GET /agent/v1/data-sources`, header `service-secret-key`: the databases of the version that is live in the environment, as its
 * `vendor-cloud.json` has them. `${NAME}` stands for a variable; values are for hosts only.
 */
export const environmentDataSourcesSchema = z.object({
  project: z.string(),
  environment: z.string(),
  /** Number of the live version; `null` before the first deployment. */
  version: z.number().int().positive().nullable(),
  dataSources: projectDataSourcesSchema,
});

/** The databases of an environment, without their secrets. */
export type EnvironmentDataSources = z.infer<typeof environmentDataSourcesSchema>;
