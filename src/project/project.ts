import path from 'node:path';
import { type ProjectDataSource, projectConfigFile } from '#contracts/project-config';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Env } from '#kernel/ports/env';
import type { FileSystem } from '#kernel/ports/file-system';
import { type ProjectFiles, readProjectFiles } from './project-files.ts';

/** A user's project, read from disk. */
export interface Project extends ProjectFiles {
  /** Absolute path of the customization code. */
  readonly entry: string;
  /** Absolute path of the generated types. */
  readonly typingsPath: string;
  /**
   * Data sources by name, with filled-in variables and absolute SQLite paths. To read it throws `PROJECT_VARIABLE_MISSING` where a variable is not set:
   * whoever needs no database needs no variables of one.
   */
  readonly dataSources: Readonly<Record<string, ProjectDataSource>>;
}

/** Find and read the project that `folder` is in. */
export async function openProject(
  fs: FileSystem,
  folder: string,
  processVariables: Readonly<Record<string, string | undefined>>,
): Promise<Project> {
  const { root, config, env } = await readProjectFiles(fs, folder, processVariables);
  const entry = path.resolve(root, config.entry);
  if (!(await fs.exists(entry))) throw entryMissing(entry);
  return {
    root,
    config,
    env,
    entry,
    typingsPath: path.resolve(root, config.typings),
    get dataSources() {
      return resolveDataSources(config.dataSources, root, env);
    },
  };
}

/**
 * Fill in the variables of URIs, which stand as `${NAME}`, and make the paths of SQLite files absolute.
 *
 * @param folder What relative paths count from.
 * @param setIt Where a missing variable is to be set. Default: in the project.
 * @throws `PROJECT_VARIABLE_MISSING`
 */
export function resolveDataSources(
  dataSources: Readonly<Record<string, ProjectDataSource>>,
  folder: string,
  env: Env,
  setIt = inProject,
): Readonly<Record<string, ProjectDataSource>> {
  const fillIn = (uri: string, dataSource: string) =>
    uri.replace(/\$\{(\w+)\}/g, (_text, name: string) => {
      const value = env.get(name);
      if (value === undefined) throw variableMissing(name, dataSource, setIt(name));
      return value;
    });
  const resolved = Object.entries(dataSources).map(([name, source]) => {
    const { uri, replicas } = source;
    const uris = replicas?.uris.map((replica) => fillIn(replica, name)) ?? [];
    const filled = { ...source, uri: absoluteSqliteUri(fillIn(uri, name), folder) };
    return [name, replicas ? { ...filled, replicas: { ...replicas, uris } } : filled];
  });
  return Object.fromEntries(resolved);
}

function inProject(name: string): string {
  return `Add a line ${name}=… to the .env file of the project, or set it in the environment.`;
}

function variableMissing(name: string, dataSource: string, nextStep: string): CloudError {
  return cloudError(
    'PROJECT_VARIABLE_MISSING',
    `The data source "${dataSource}" of ${projectConfigFile} refers to the variable ${name}, which is not set.`,
    nextStep,
  );
}

function entryMissing(entry: string): CloudError {
  return cloudError(
    'PROJECT_ENTRY_MISSING',
    `The customization code ${entry} does not exist.`,
    `Create it, or correct "entry" in ${projectConfigFile}.`,
    { location: { file: entry, line: 1 } },
  );
}

type Paths = Pick<typeof path, 'isAbsolute' | 'relative' | 'resolve' | 'sep'>;

/** The file of a URI such as `sqlite:./app.sqlite` or `sqlite:C:\data\app.sqlite`; `undefined` for any other address. */
function fileOf(uri: string): string | undefined {
  return /^sqlite:(?!\/)(.+)$/.exec(uri)?.[1];
}

/** The URI of a SQLite file with its whole path; any other address as it is. A relative path counts from `folder`. */
export function absoluteSqliteUri(uri: string, folder: string, paths: Paths = path): string {
  const file = fileOf(uri);
  return file === undefined ? uri : `sqlite:${paths.resolve(folder, file)}`;
}

/**
 * The URI of a SQLite file with its path from a project, as it is in the configuration: with forward slashes, on every system. A
 * file on another drive keeps its whole path. `undefined` for any other address.
 *
 * @param folder what a relative path of the URI counts from.
 */
export function sqliteUriInProject(uri: string, root: string, folder: string, paths: Paths = path): string | undefined {
  const file = /^sqlite:(?!\/\/)(.+)$/.exec(uri)?.[1];
  if (file === undefined) return undefined;
  const inProject = paths.relative(root, paths.resolve(folder, file));
  const place = inProject.split(paths.sep).join('/');
  return `sqlite:${place.startsWith('.') || paths.isAbsolute(inProject) ? '' : './'}${place}`;
}
