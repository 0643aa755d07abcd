import path from 'node:path';
import { compareOutlines, type SchemaChange } from '#contracts/compare-outlines';
import { type SavedSchema, savedSchemaFile, savedSchemaSchema } from '#contracts/saved-schema';
import { outlineOfTables } from '#contracts/schema-outlines';
import { isCloudError } from '#kernel/errors/cloud-error';
import { openProject, type Project, writeGenerated } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { readSavedSchema, requireSavedSchema, savedSchemaText } from './saved-schema-file.ts';

export interface SchemaResult {
  /** Absolute path of the file. */
  readonly path: string;
  readonly tables: number;
  /** Whether the file has the schema of the databases now. */
  readonly isCurrent: boolean;
  /** How the databases differ from what the file said, where there was one. */
  readonly changes: readonly SchemaChange[];
}

/** Write `schema.json` from the databases as they are now. */
export async function writeSchema(context: FlowContext, folder: string): Promise<SchemaResult> {
  const project = await openProject(context.fs, folder, context.variables);
  const current = await readDatabases(context, project);
  const before = await readSavedSchema(context, project).catch((error: unknown) => {
    // It is written again, whatever it said.
    if (isCloudError(error) && error.code === 'SCHEMA_FILE_INVALID') return undefined;
    throw error;
  });
  const result = resultOf(project, before, current);
  await writeGenerated(context.fs, project.root, result.path, savedSchemaText(current));
  return { ...result, isCurrent: true };
}

/** Compare `schema.json` with the databases as they are now, and write nothing. Rejects with `SCHEMA_FILE_INVALID` if there is no such file. */
export async function checkSchema(context: FlowContext, folder: string): Promise<SchemaResult> {
  const project = await openProject(context.fs, folder, context.variables);
  const [saved, current] = await Promise.all([requireSavedSchema(context, project), readDatabases(context, project)]);
  return resultOf(project, saved, current);
}

/** How the databases of a project look now. Rejects with `DATABASE_…`. */
async function readDatabases(context: FlowContext, project: Project): Promise<SavedSchema> {
  const { openingNamed, readSavedDataSource } = await import('#runtime/index');
  const sources = Object.entries(project.dataSources);
  const read = await context.reporter.step('Reading the databases', () =>
    Promise.all(
      sources.map(async ([name, { uri }]) => [name, await openingNamed(name, () => readSavedDataSource(uri))] as const),
    ),
  );
  // As it is read from the file: in the same order, and without what JSON does not hold.
  return savedSchemaSchema.parse(
    JSON.parse(JSON.stringify({ formatVersion: 1, dataSources: Object.fromEntries(read) })),
  );
}

function resultOf(project: Project, saved: SavedSchema | undefined, current: SavedSchema): SchemaResult {
  const file = path.join(project.root, savedSchemaFile);
  const changes = saved ? compareOutlines(outlineOfTables(saved), outlineOfTables(current)) : [];
  const isCurrent = saved !== undefined && savedSchemaText(saved) === savedSchemaText(current);
  const tables = Object.values(current.dataSources).reduce((sum, source) => sum + source.tables.length, 0);
  return { path: file, tables, isCurrent, changes };
}
