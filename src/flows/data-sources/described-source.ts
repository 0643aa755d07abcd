import type { ProjectDataSource } from '#contracts/project-config';
import type { Env } from '#kernel/ports/env';
import { readProjectFiles } from '#project/index';
import type { FlowContext } from '../flow-context.ts';

/** A data source as `vendor-cloud.json` describes it, without secrets. */
export interface DescribedSource {
  readonly name: string;
  /** `sqlite`, `postgres`, `mariadb` or `mysql`; `null` where a variable says it, and is not set. */
  readonly engine: string | null;
  /** As it is written, a password replaced. */
  readonly uri: string;
  /** The variables that the URI refers to. */
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[];
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[] | null;
  readonly rename: ProjectDataSource['rename'] | null;
}

const reference = /\$\{(\w+)\}/g;

export function describedSource(name: string, source: ProjectDataSource, env: Env): DescribedSource {
  const { uri, include = null, exclude = null, rename = null } = source;
  const variables = [...uri.matchAll(reference)].map(([, variable = '']) => variable);
  const filled = uri.replaceAll(reference, (_text, variable: string) => env.get(variable) ?? '');
  return {
    name,
    engine: engineOf(filled),
    uri: withoutPassword(uri),
    variables: variables.map((variable) => ({ name: variable, isSet: env.get(variable) !== undefined })),
    include,
    exclude,
    rename,
  };
}

/** `postgresql:` and `mongodb+srv:` are other ways to write a scheme. */
function engineOf(uri: string): string | null {
  const scheme = /^([\w+]+):/.exec(uri)?.[1] ?? null;
  return scheme?.replace('postgresql', 'postgres').replace('mongodb+srv', 'mongodb') ?? null;
}

/** A URI without its password and its parameters, which may hold one. */
export function withoutPassword(uri: string): string {
  return uri.replace(/^([\w+]+:\/\/[^:/@]*):.*@/, '$1:…@').replace(/\?.*$/, '');
}

/** Whether a URI holds a password that is not in a variable. */
export function hasPassword(uri: string): boolean {
  const password = /^[\w+]+:\/\/[^:/@]*:(.*)@/.exec(uri)?.[1] ?? '';
  return password !== '' && !/^\$\{\w+\}$/.test(password);
}

export interface ListedSources {
  readonly dataSources: readonly DescribedSource[];
}

/** The data sources of a project, as they are configured. Opens none of them. */
export async function listDataSources(context: FlowContext, folder: string): Promise<ListedSources> {
  const { config, env } = await readProjectFiles(context.fs, folder, context.variables);
  return {
    dataSources: Object.entries(config.dataSources).map(([name, source]) => describedSource(name, source, env)),
  };
}
