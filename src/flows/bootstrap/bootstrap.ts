import path from 'node:path';
import { envSecretSchema } from '#contracts/identity';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { platformHealth } from '#platform-client/server-url';
import {
  absoluteSqliteUri,
  addSettings,
  type SettingsByDataSource,
  scaffoldProject,
  seedShop,
  setServerUrl,
} from '#project/index';
import type { SuggestedSettings } from '#runtime/index';
import type { FlowContext } from '../flow-context.ts';
import { type PackageManager, packageManagerOf } from '../packages/package-manager.ts';
import { writeTypings } from '../schema/update-typings.ts';
import { type EnvironmentProject, readEnvironmentProject, writeEnvironmentProject } from './environment-project.ts';
import { allowBuilds, installPackages } from './install-packages.ts';
import { packageSource } from './package-source.ts';

/** `shop` brings a SQLite database full of sample data; `blank` is for a database of your own. */
export type Template = 'shop' | 'blank';

export interface BootstrapInput {
  /** Folder to create, from the working folder on. */
  readonly directory: string;
  readonly template: Template;
  /** Connection URI of the database, for the blank template. */
  readonly uri?: string | undefined;
  /** Secret of the environment; a new one for the local platform when absent. */
  readonly envSecret?: string | undefined;
  /** Address of the platform that the project belongs to; it must answer. */
  readonly serverUrl?: string | undefined;
  /** Install the packages of the project. Default false. */
  readonly isInstalled?: boolean;
  /** Make it a git repository. Default false. */
  readonly isRepository?: boolean;
  /** Asks what the numbers of a column of instants stand for, where a sample says several things. Absent where nobody can be asked. */
  readonly chooseInstants?: ((place: string, guess: InstantChoice) => Promise<InstantChoice>) | undefined;
}

type InstantChoice = 'milliseconds' | 'seconds' | 'julianDays' | 'texts';

export interface BootstrapResult {
  readonly path: string;
  readonly name: string;
  readonly template: Template;
  readonly collections: number;
  /** Soft deletes, timestamps and forms of instants that the columns of a data source suggest, by its name: they are set in the project. */
  readonly settings: SettingsByDataSource;
  /** What is left out of the databases, and why. */
  readonly warnings: readonly string[];
  readonly packageManager: PackageManager;
  /** The tarball or folder that the project takes this package from, as an absolute path; `null` for a registry. */
  readonly packageFrom: string | null;
  /** Whether the packages of the project are installed. */
  readonly isInstalled: boolean;
  /** Whether the project became a git repository. */
  readonly isRepository: boolean;
}

type LoadedTypes = Pick<BootstrapResult, 'collections' | 'settings' | 'warnings'>;

/** Create a project with its credentials and its generated types; whole, or not at all. */
export async function bootstrap(context: FlowContext, input: BootstrapInput): Promise<BootstrapResult> {
  if (input.template === 'shop' && input.uri !== undefined) throw uriBesideSample();
  const target = path.resolve(context.workingFolder, input.directory);
  const envSecret = checkedSecret(input.envSecret ?? context.random.hex(32));
  const environment = await environmentOf(context, input);
  const name = environment?.project ?? projectName(target);
  const source = await packageSource(context);
  let loaded: LoadedTypes = { collections: 0, settings: {}, warnings: [] };
  await scaffoldProject(context.fs, {
    template: path.join(context.package.root, 'templates', input.template),
    target,
    packageRoot: context.package.root,
    onInterrupt: context.onInterrupt,
    values: {
      name,
      envSecret,
      packageVersion: source.version,
      // It stands between quotes in .env, where a password belongs: vendor-cloud.json goes into git.
      uri: absoluteSqliteUri(input.uri ?? '', context.workingFolder).replaceAll("'", '%27'),
    },
    async complete(folder, signal) {
      if (input.template === 'shop')
        await context.reporter.step('Filling the sample database', () => fillShop(context, folder, signal));
      if (environment) await writeEnvironmentProject(context, folder, environment, envSecret);
      else if (input.serverUrl !== undefined) await setServerUrl(context.fs, folder, input.serverUrl);
      loaded = await writeTypesAndSettings(context, folder, input.chooseInstants);
    },
  });
  const packageManager = await packageManagerOf(context, target);
  await allowBuilds(context, target, packageManager);
  const isRepository = input.isRepository === true && (await startRepository(context, target));
  const isInstalled = input.isInstalled === true && (await installPackages(context, target, packageManager));
  const packageFrom = source.place ?? null;
  const { template } = input;
  return { path: target, name, template, ...loaded, packageManager, packageFrom, isInstalled, isRepository };
}

/** The environment brings its databases where its secret and its platform are given, and nothing else names a database. */
async function environmentOf(
  context: FlowContext,
  { template, uri, envSecret, serverUrl }: BootstrapInput,
): Promise<EnvironmentProject | undefined> {
  if (serverUrl === undefined) return undefined;
  if (template === 'blank' && uri === undefined && envSecret !== undefined)
    return readEnvironmentProject(context, serverUrl, checkedSecret(envSecret));
  await platformHealth(context.http, serverUrl);
  return undefined;
}

/** When settings were written, load the project again with them. */
async function writeTypesAndSettings(
  context: FlowContext,
  folder: string,
  choose: BootstrapInput['chooseInstants'],
): Promise<LoadedTypes> {
  let typings = await writeTypings(context, folder);
  const settings: Record<string, SettingsByDataSource[string]> = {};
  for (const [name, { unclearInstants = {}, ...suggested }] of Object.entries(typings.suggestedSettings)) {
    const instants = {
      ...suggested.instants,
      ...(choose ? await chosenInstants(unclearInstants, suggested, choose) : {}),
    };
    const found = { ...suggested, ...(Object.keys(instants).length > 0 ? { instants } : {}) };
    if (Object.values(found).some((tables) => Object.keys(tables).length > 0)) settings[name] = found;
  }
  if (Object.keys(settings).length > 0) {
    await addSettings(context.fs, folder, settings);
    typings = await writeTypings(context, folder, 'Applying the settings that the columns suggest');
  }
  for (const warning of typings.warnings) context.reporter.warn(warning);
  return { collections: typings.collections, settings, warnings: typings.warnings };
}

/** The tables with columns that were asked about; with those of their columns that need no question. */
async function chosenInstants(
  unclear: NonNullable<SuggestedSettings['unclearInstants']>,
  { instants = {} }: Pick<SuggestedSettings, 'instants'>,
  choose: NonNullable<BootstrapInput['chooseInstants']>,
): Promise<Record<string, Record<string, InstantChoice>>> {
  const tables: Record<string, Record<string, InstantChoice>> = {};
  for (const [table, columns] of Object.entries(unclear)) {
    const chosen: Record<string, InstantChoice> = { ...instants[table] };
    for (const [column, guess] of Object.entries(columns)) chosen[column] = await choose(`${table}.${column}`, guess);
    tables[table] = chosen;
  }
  return tables;
}

async function fillShop(context: FlowContext, folder: string, signal: AbortSignal): Promise<void> {
  const schema = (await context.fs.readText(path.join(folder, 'schema.sql'))) ?? '';
  const connection = await context.openDatabase(path.join(folder, 'shop.sqlite'));
  try {
    await seedShop(connection, schema, { signal });
  } finally {
    connection.close();
  }
}

function uriBesideSample(): CloudError {
  return cloudError(
    'USAGE_INVALID',
    'The template "shop" brings a database of its own, so that no connection URI can be used with it.',
    'Leave out --template shop, or leave out --uri and unset SERVICE_URI.',
  );
}

function projectName(target: string): string {
  const name = path
    .basename(target)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'project' : name;
}

function checkedSecret(secret: string): string {
  if (envSecretSchema.safeParse(secret).success) return secret;
  throw cloudError(
    'USAGE_INVALID',
    'The environment secret is malformed: it must be 64 lower-case hexadecimal digits.',
    'Copy it again from the settings of the environment; no quotes, no line break.',
  );
}

const deadlineMs = 5_000;

/** Make a new project a git repository, unless it is in one already or there is no git. Resolves to whether it became one. */
async function startRepository({ tools }: FlowContext, folder: string): Promise<boolean> {
  const git = (...parameters: string[]) => tools.run({ program: 'git', parameters, folder, deadlineMs });
  const { exitCode } = await git('rev-parse', '--is-inside-work-tree');
  if (exitCode === 0 || exitCode === null) return false;
  return (await git('init', '--quiet')).exitCode === 0;
}
