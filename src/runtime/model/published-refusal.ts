import { refusedWriteOf, writeRefused } from '#node/database/database-errors';
import type { CompiledModel } from './compiled-model.ts';

/**
 * The error of a database with the published names of its columns; columns without one are not named. Any other error comes
 * back unchanged.
 *
 * @param written the collection that was written, where the error does not say.
 */
export function publishedRefusal(model: CompiledModel, written: string, error: unknown): unknown {
  const refused = refusedWriteOf(error);
  if (!refused) return error;
  const { collection = written, referringTable } = refused.safeDetails ?? {};
  const referring = model.collections.get(String(referringTable));
  if (referring) {
    const problem = `breaks a foreign key: records of "${referring.name}" refer to this one`;
    return writeRefused({ ...refused, problem, fields: [] });
  }
  const name = String(collection);
  const published = model.collections.get(name);
  const fields = refused.fields.flatMap((field) => {
    const shown = model.names.publishedName(name, field);
    return published?.fields.has(shown) && model.names.originalPath(name, shown) === field ? [shown] : [];
  });
  return writeRefused({ ...refused, fields });
}
