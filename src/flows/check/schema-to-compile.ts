import type { SavedSchema } from '#contracts/saved-schema';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { readSavedSchema, requireSavedSchema } from '../schema/saved-schema-file.ts';
import type { CompileAgainst } from './compile-against.ts';

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
