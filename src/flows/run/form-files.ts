import path from 'node:path';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import type { FormField } from './form-field.ts';

/** Where the files of a form are. */
export type FilesContext = Pick<FlowContext, 'fs' | 'workingFolder'>;

/**
 * Values of a form with the files that they name: a field for files takes the path of one, and the agent gets a data URI.
 *
 * @throws `USAGE_INVALID` for a file that is not there.
 */
export async function readFormFiles(
  { fs, workingFolder }: FilesContext,
  fields: readonly FormField[],
  values: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, unknown>> {
  const read = async (value: unknown) => {
    if (typeof value !== 'string' || /^data:/i.test(value)) return value;
    const place = path.resolve(workingFolder, value);
    const buffer = (await fs.isFolder(place)) ? null : await fs.readBytes(place);
    if (buffer === null) throw fileMissing(place);
    const [{ lookup }, { fileUriOf }] = await Promise.all([import('mime-types'), import('#runtime/index')]);
    return fileUriOf({ name: path.basename(place), mimeType: lookup(place) || 'application/octet-stream', buffer });
  };
  const filled = fields.flatMap(({ field, type }) => (values.has(field) ? [{ field, type }] : []));
  const entries = filled.map(async ({ field, type }): Promise<[string, unknown]> => {
    const value = values.get(field);
    if (type === 'File') return [field, await read(value)];
    if (String(type) === 'File' && Array.isArray(value)) return [field, await Promise.all(value.map(read))];
    return [field, value];
  });
  return new Map(await Promise.all(entries));
}

function fileMissing(place: string): CloudError {
  return cloudError('USAGE_INVALID', `There is no file ${place}.`, 'Give the field the path of a file.');
}
