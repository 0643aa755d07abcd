import * as z from 'zod';
import { projectDataSourcesSchema } from './project-config.ts';

/**
 * `GET /agent/v1/data-sources`, header `service-secret-key`: the databases of the version that is live in the environment, as its
 * `vendor-cloud.json` has them. `${NAME}` stands for a variable; values are for hosts alone.
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
