import path from 'node:path';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { type Project, seedShop } from '#project/index';
import type { DataSource } from '#runtime/index';
import { withoutPassword } from '../data-sources/described-source.ts';
import type { FlowContext } from '../flow-context.ts';
import {
  anywhere,
  type DevelopmentData,
  type StoredCollection,
  warnOfSampledInstants,
  withDevelopmentData,
} from './development-data.ts';
import { type KeyAhead, keysAhead, parentsFirst } from './parent-order.ts';
import { bySource } from './seed-data.ts';

export interface ResetInput {
  readonly folder: string;
  /** Ask whether the data of a project may go; resolves with the name that was typed. */
  confirm(project: ProjectToReset): Promise<string>;
}

export interface ProjectToReset {
  readonly name: string;
  /** Databases whose records go, without their passwords. */
  readonly databases: readonly string[];
}

export interface ResetData {
  readonly project: string;
  readonly deleted: readonly { readonly name: string; readonly deleted: number }[];
  /** Whether the sample data of the shop are there again. */
  readonly hasSampleData: boolean;
}

/**
 * Bring the development data of a project back to the start: the sample shop as it was made, another database without records.
 * Rejects with `USAGE_INVALID` when another name than the project's is typed; nothing happens then.
 */
export async function resetData(context: FlowContext, { folder, confirm }: ResetInput): Promise<ResetData> {
  const { project, deleted } = await withDevelopmentData(context, folder, async (data) => {
    const { config, dataSources } = data.project;
    warnOfSampledInstants(context, data.collections.values());
    const databases = Object.values(dataSources).map(({ uri }) => withoutPassword(uri));
    if ((await confirm({ name: config.name, databases })) !== config.name) throw notConfirmed(config.name);
    return { project: data.project, deleted: await deleteAll(context, data) };
  });
  return { project: project.config.name, deleted, hasSampleData: await refillShop(context, project) };
}

async function deleteAll({ reporter }: FlowContext, { collections }: DevelopmentData): Promise<Deleted[]> {
  const { left = [], taken = [] } = Object.groupBy(collections.values(), ({ schema }) =>
    schema.isReadOnly ? 'left' : 'taken',
  );
  const deleted: Deleted[] = [];
  for (const [source, ofSource] of bySource(parentsFirst(taken))) {
    deleted.push(...(await deleteFrom(source, ofSource)));
  }
  const names = left.map(({ schema }) => schema.name).join(', ');
  if (names !== '') reporter.warn(`Views and tables without a key are left as they are: ${names}.`);
  return deleted;
}

interface Deleted {
  readonly name: string;
  readonly deleted: number;
}

/** Children go before what they lead to. Keys that lead round in a circle are emptied before, where the database needs that. */
async function deleteFrom(source: DataSource, parentsBefore: readonly StoredCollection[]): Promise<Deleted[]> {
  const circles = keysAhead(parentsBefore).filter(({ optional }) => optional.length > 0);
  const deleteWith = (emptied: readonly KeyAhead[]) =>
    source.transaction(async (store) => {
      for (const { collection, optional } of emptied) {
        const nulls = Object.fromEntries(optional.map((name) => [name, null]));
        await store.update(collection.schema.name, undefined, nulls, anywhere);
      }
      const deleted: Deleted[] = [];
      for (const { schema } of parentsBefore.toReversed()) {
        deleted.push({ name: schema.name, deleted: await store.delete(schema.name, undefined, anywhere) });
      }
      return deleted;
    }, anywhere);
  return deleteWith([]).catch((error: unknown) => {
    if (circles.length === 0 || !isCloudError(error) || error.code !== 'DATABASE_CONSTRAINT_VIOLATED') throw error;
    return deleteWith(circles);
  });
}

/** The sample shop is a project that still has the tables of its template. */
async function refillShop(context: FlowContext, { root, dataSources }: Project): Promise<boolean> {
  const schema = await context.fs.readText(path.join(root, 'schema.sql'));
  const template = await context.fs.readText(path.join(context.package.root, 'templates', 'shop', 'schema.sql'));
  const file = path.join(root, 'shop.sqlite');
  const isShop = Object.values(dataSources).some(({ uri }) => uri === `sqlite:${file}`);
  if (!isShop || schema === null || schema !== template) return false;
  const connection = await context.openDatabase(file);
  try {
    dropEverything(connection);
    await seedShop(connection, schema);
  } finally {
    connection.close();
  }
  return true;
}

/** The file stays: a session that serves it sees that its tables have changed. */
function dropEverything(connection: SqliteConnection): void {
  connection.execute('PRAGMA foreign_keys = OFF');
  const objects = connection.all(
    "select type, name from sqlite_master where type in ('view', 'table') and name not like 'sqlite_%'",
  );
  for (const { type, name } of objects) {
    connection.execute(`DROP ${type === 'view' ? 'VIEW' : 'TABLE'} "${String(name).replaceAll('"', '""')}"`);
  }
}

function notConfirmed(name: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    'The name is not the one of the project, so nothing was deleted.',
    `Type ${name}, or call: vendor-cloud data reset --confirm ${name}`,
  );
}
