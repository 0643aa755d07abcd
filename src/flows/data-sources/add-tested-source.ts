import type { ProjectDataSource } from '#contracts/project-config';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import {
  type ProjectFiles,
  readProjectFiles,
  resolveDataSources,
  sqliteUriInProject,
  addDataSource as writeDataSource,
} from '#project/index';
import type { SuggestedSettings } from '#runtime/index';
import type { FlowContext } from '../flow-context.ts';
import { writeTypings } from '../schema/update-typings.ts';
import { type DescribedSource, describedSource } from './described-source.ts';

export interface AddSourceInput extends Pick<ProjectDataSource, 'include' | 'exclude' | 'rename'> {
  readonly folder: string;
  readonly name: string;
  /** Connection URI; `${NAME}` in it stands for a variable. A SQLite path counts from the working folder. */
  readonly uri: string;
}

export interface AddedSource {
  readonly dataSource: DescribedSource;
  /** The variable that was written into `.env`. */
  readonly variable: string | null;
  /** Soft deletes and timestamps that its columns suggest: they are set. */
  readonly settings: Pick<ProjectDataSource, 'softDelete' | 'timestamps'>;
  /** Collections of the whole project. */
  readonly collections: number;
}

/**
 * Add a data source to a project. The address of a server goes into a variable of `.env`. The settings and the types of the
 * project are brought up to date. Nothing is written unless the database answers and the project loads with it.
 */
export async function addDataSource(context: FlowContext, input: AddSourceInput): Promise<AddedSource> {
  const files = await readProjectFiles(context.fs, input.folder, context.variables);
  const { name } = input;
  if (files.config.dataSources[name]) throw nameTaken(name);
  const { uri, variable } = placeOfUri(context, files, input);
  const settings = await context.reporter.step('Reading the database', () => suggestedBy(files, uri, variable));
  const { include, exclude, rename } = input;
  const source: ProjectDataSource = { uri, ...given({ include, exclude, rename }), ...settings };
  const undo = await writeDataSource(context.fs, files.root, { name, source, variable });
  try {
    const { collections, warnings } = await writeTypings(context, files.root);
    for (const warning of warnings) context.reporter.warn(warning);
    const { env } = await readProjectFiles(context.fs, files.root, context.variables);
    return { dataSource: describedSource(name, source, env), variable: variable?.name ?? null, settings, collections };
  } catch (error) {
    await undo();
    throw withFlags(error, input);
  }
}

/** More names than these are not written out. */
const maxNamed = 5;

interface PlacedUri {
  readonly uri: string;
  readonly variable?: { readonly name: string; readonly value: string };
}

/** Files are named in the configuration, servers in a variable: their addresses differ from machine to machine, and hold passwords. */
function placeOfUri(
  { workingFolder }: FlowContext,
  { root, env }: ProjectFiles,
  { name, uri }: AddSourceInput,
): PlacedUri {
  if (uri.includes('${')) return { uri };
  const inProject = sqliteUriInProject(uri, root, workingFolder);
  if (inProject !== undefined) return { uri: inProject };
  const variable = `${name.toUpperCase().replaceAll(/\W+/g, '_')}_DATABASE_URL`;
  const before = env.get(variable);
  if (before !== undefined && before !== uri) throw variableTaken(variable);
  return { uri: `\${${variable}}`, ...(before === undefined ? { variable: { name: variable, value: uri } } : {}) };
}

async function suggestedBy({ root, env }: ProjectFiles, uri: string, variable: PlacedUri['variable']) {
  const get = (name: string) => (name === variable?.name ? variable.value : env.get(name));
  const resolved = resolveDataSources({ added: { uri } }, root, { ...env, get })['added'];
  const { createUriDataSource } = await import('#runtime/index');
  const source = await createUriDataSource(resolved?.uri ?? uri, { startupTimeoutMs: 0 })();
  await source.close();
  const { softDelete = {}, timestamps = {}, instants }: Partial<SuggestedSettings> = source.suggestedSettings ?? {};
  return given({
    softDelete: Object.keys(softDelete).length > 0 ? softDelete : undefined,
    timestamps: Object.keys(timestamps).length > 0 ? timestamps : undefined,
    instants,
  });
}

/** Without the members that are undefined, which no configuration has. */
function given<Values extends object>(values: Values): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>;
  };
}

/** Names of collections that two databases have are parted by a flag of the command. */
function withFlags(error: unknown, { name, rename }: AddSourceInput): unknown {
  if (!isCloudError(error)) return error;
  const { code, message, details } = error;
  const shared = details['sharedNames'];
  if (code !== 'CUSTOMIZATION_INVALID' || !Array.isArray(shared)) return error;
  const prefix = `${name.replaceAll(/\W+/g, '_')}_`;
  const again = rename === undefined ? `call it again with --rename ${prefix}` : 'call it again with another --rename';
  const names = shared.length > maxNamed ? '<names>' : shared.join(',');
  return cloudError(
    code,
    message,
    [`Put something before the names of its collections: ${again}`, `Or leave them out: --exclude ${names}`],
    { details, cause: error },
  );
}

function nameTaken(name: string): CloudError {
  return cloudError(
    'DATA_SOURCE_EXISTS',
    `The project has a data source "${name}" already.`,
    'Choose another name, or change the one that is there in vendor-cloud.json.',
  );
}

function variableTaken(variable: string): CloudError {
  return cloudError(
    'DATA_SOURCE_EXISTS',
    `The variable ${variable} has another value already.`,
    `Choose another name for the data source, or refer to a variable: --uri '\${${variable}}'`,
  );
}
