import * as z from 'zod';
import { restSettingsSchema } from './rest-settings.ts';

/** The name of the file that makes a folder a project. */
export const projectConfigFile = 'vendor-cloud.json';

/** The file of a project that holds the rights of an environment. */
export const permissionFileName = 'permissions.json';

/** The folder of a project that holds its dashboards. */
export const dashboardFolder = 'dashboards';

const name = z.string().min(1);
const leftAsItIs = z.literal(false);
const timestamps = z.strictObject({
  created: name.optional().describe('Column that takes the time of creation.'),
  updated: name.optional().describe('Column that takes the time of the last change.'),
});

const replicas = z.strictObject({
  uris: z.array(name).describe('Their connection URIs, each of one host and with the database of the primary.'),
  waitMs: z
    .number()
    .optional()
    .describe('How long a read waits for a replica to show what its person has written; 50 by default.'),
  maxLagMs: z.number().optional().describe('A replica that is further behind is left out; 10000 by default.'),
  allowStaleReads: z
    .boolean()
    .optional()
    .describe('Whether replicas also answer requests that do not say what their person has written; false by default.'),
});

const dataSource = z.strictObject({
  uri: name.describe('Connection URI. `${NAME}` stands for an environment variable.'),
  replicas: replicas.optional().describe('Replicas of the database, which reads go to.'),
  include: z.array(name).optional().describe('Names of the collections to take; all by default.'),
  exclude: z.array(name).optional().describe('Names of collections to leave out.'),
  rename: z
    .union([z.string().regex(/^\w+$/, 'letters, digits and underscores'), z.record(name, name)])
    .optional()
    .describe('New names by the names in the database, or a prefix for all names.'),
  softDelete: z
    .union([leftAsItIs, z.record(name, z.union([leftAsItIs, name]))])
    .optional()
    .describe('By table: the column that takes the time of a deletion, instead of removing the record. `false`: none.'),
  timestamps: z
    .union([leftAsItIs, z.record(name, z.union([leftAsItIs, timestamps]))])
    .optional()
    .describe('By table: the columns that take the times of creation and of the last change. `false`: none.'),
  instants: z
    .record(name, z.record(name, z.enum(['milliseconds', 'seconds', 'julianDays', 'texts'])))
    .optional()
    .describe('SQLite, by table and column: what numbers that are instants stand for. A sample says it by default.'),
});

/** Databases of an agent, by the names the project gives them. */
export const projectDataSourcesSchema = z.record(z.string().min(1), dataSource);

/** `vendor-cloud.json`: what a project is, without any secret. */
export const projectConfigSchema = z.strictObject({
  $schema: z.string().optional().describe('Where editors find this schema.'),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/, 'lower-case letters, digits and dashes')
    .describe('Name of the project on the platform.'),
  entry: z.string().min(1).default('src/index.ts').describe('File whose default export customizes the agent.'),
  typings: z.string().min(1).default('typings.d.ts').describe('File the generated types are written to.'),
  dataSources: projectDataSourcesSchema.describe('Databases of the agent, by a name of your own.'),
  serverUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Platform server, instead of the local one.'),
  activityRequired: z
    .boolean()
    .default(false)
    .describe('Whether the agent refuses a write whose record cannot be made.'),
  rest: restSettingsSchema.optional().describe('How the REST API takes parameters.'),
});

/** One database of a project: which of its collections the agent takes, under which names, and which columns it keeps. */
export type ProjectDataSource = z.infer<typeof dataSource>;

/** The addresses of a database and of its replicas, as they are written. */
export function urisOf({ uri, replicas: copies }: Pick<ProjectDataSource, 'uri' | 'replicas'>): readonly string[] {
  return [uri, ...(copies?.uris ?? [])];
}

export type ProjectConfig = z.infer<typeof projectConfigSchema>;

/** Path of the file inside a project that says which platform and environment this copy of it belongs to. Git ignores it. */
export const projectLinkFile = '.vendor-cloud/link.json';

export const projectLinkSchema = z.strictObject({
  /** Address of the platform. */
  serverUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Name of the environment that commands are about unless they name one. */
  environment: z.string().min(1).optional(),
});

/** Which platform and environment a copy of a project belongs to. */
export type ProjectLink = z.infer<typeof projectLinkSchema>;
