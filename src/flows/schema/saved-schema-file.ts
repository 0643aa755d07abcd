import path from 'node:path';
import { type SavedSchema, savedSchemaFile, savedSchemaSchema } from '#contracts/saved-schema';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import type { CompileAgainst } from './compile-against.ts';

/**
 * The `schema.json` of a project; `undefined` where it has none. Rejects with `SCHEMA_FILE_INVALID`, also where it lacks a
 * database of the project.
 */
export async function readSavedSchema(
  { fs }: Pick<FlowContext, 'fs'>,
  project: Project,
): Promise<SavedSchema | undefined> {
  const file = path.join(project.root, savedSchemaFile);
  const text = await fs.readText(file);
  if (text === null) return undefined;
  const { success, data, error } = savedSchemaSchema.safeParse(parsed(text));
  if (!success) {
    const [issue] = error.issues;
    throw invalid(file, `${savedSchemaFile} is not valid: ${issue?.path.join('.') || 'the file'}: ${issue?.message}.`);
  }
  const missing = Object.keys(project.config.dataSources).find((name) => !Object.hasOwn(data.dataSources, name));
  if (missing !== undefined) throw invalid(file, `${savedSchemaFile} has no tables of the data source "${missing}".`);
  return data;
}

/** The same, for whoever cannot do without. */
export async function requireSavedSchema(context: Pick<FlowContext, 'fs'>, project: Project): Promise<SavedSchema> {
  const saved = await readSavedSchema(context, project);
  if (saved) return saved;
  throw cloudError(
    'SCHEMA_FILE_INVALID',
    `The project has no ${savedSchemaFile}.`,
    'Write it from the databases: vendor-cloud schema',
  );
}

/** A schema as the text of its file: one line a column, so that differences are read line by line. */
export function savedSchemaText({ formatVersion, dataSources }: SavedSchema): string {
  const sources = Object.entries(dataSources).map(([name, { dialect, tables }]) => {
    const listed = tables.map(({ columns, ...table }) => {
      const lines = columns.map((column) => `            ${JSON.stringify(column)}`);
      return `        ${JSON.stringify(table).slice(0, -1)}, "columns": [\n${lines.join(',\n')}\n        ]}`;
    });
    return `    ${JSON.stringify(name)}: {\n      "dialect": ${JSON.stringify(dialect)},\n      "tables": [\n${listed.join(',\n')}\n      ]\n    }`;
  });
  return `{\n  "formatVersion": ${formatVersion},\n  "dataSources": {\n${sources.join(',\n')}\n  }\n}\n`;
}

/** A text that is not JSON fits no schema. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(file: string, message: string): CloudError {
  return cloudError('SCHEMA_FILE_INVALID', message, 'Write it again from the databases: vendor-cloud schema', {
    location: { file, line: 1 },
  });
}

/**
 * The saved schema to compile against; `undefined` for the databases themselves. By default it is `schema.json` where the
 * project has one. Rejects with `SCHEMA_FILE_INVALID`.
 */
export async function schemaToCompile(
  context: FlowContext,
  project: Project,
  against: CompileAgainst | undefined,
): Promise<SavedSchema | undefined> {
  if (against === 'database') return undefined;
  return against === 'file' ? requireSavedSchema(context, project) : readSavedSchema(context, project);
}
