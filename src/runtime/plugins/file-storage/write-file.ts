import { isCloudError } from '#kernel/errors/cloud-error';
import type { PluginAgent } from '../../customizer/agent.ts';
import type { UnendedWrite, WriteContext, WriteHandler } from '../../customizer/write-definition.ts';
import { parseFileUri } from '../../query/file-uri.ts';
import { ValidationError } from '../../user-code/refusals.ts';
import type { FileBucket, NewFile } from './file-bucket.ts';
import type { FileField } from './file-field.ts';
import { type FileHolder, holderIn } from './file-holder.ts';
import { checkedKey, defaultKey } from './file-key.ts';
import { isAddressOf } from './read-files.ts';
import { removeFiles, removeUnused } from './remove-files.ts';
import { checkFile, headersOf } from './uploaded-file.ts';

type AfterWrite = Parameters<UnendedWrite['afterWrite']>[0];

/**
 * Keep the file of a write in the bucket, and its key in the column. The file is there before the record refers to it, and goes
 * again when the write is undone. The file before it goes only when the write is committed.
 */
export function fileWriter(agent: PluginAgent, field: FileField, bucket: FileBucket): WriteHandler {
  const { columnName, fieldName, storeAt, overwrite = false } = field;
  return async (value, context) => {
    const holder = await holderIn(agent, field, context);
    const column = { collection: context.collection.name, column: columnName };
    const removeReplaced: AfterWrite = async (outcome, after) => {
      if (!field.deleteFiles || outcome !== 'committed' || !holder.key) return;
      await removeUnused(bucket, [holder.key], column, after);
    };
    if (value === null || value === '') {
      context.afterWrite(removeReplaced);
      return { [columnName]: null };
    }
    const file = parseFileUri(value);
    if (!file) {
      if (await isUnchanged(field, bucket, holder, value)) return undefined;
      const form = 'data:<type>;name=<name>;base64,<content>';
      throw new ValidationError(`"${fieldName}" takes a file as a data URI: ${form}.`, { field: fieldName });
    }
    checkFile(field, file);
    const given = storeAt
      ? await storeAt(holder.id, file.name, context)
      : defaultKey(context.collection.name, file.name);
    const key = checkedKey(given);
    const isInPlace = key === holder.key;
    const mayReplace = isInPlace || (overwrite && storeAt !== undefined);
    const kept = { ...headersOf(field, file), key, bytes: file.buffer, acl: field.acl, mayReplace };
    await keepFile(bucket, kept, context, isInPlace ? undefined : removeReplaced);
    return { [columnName]: key };
  };
}

/** A client that changes another field may send this one back as it has read it. */
async function isUnchanged(
  field: FileField,
  bucket: FileBucket,
  { key }: FileHolder,
  value: unknown,
): Promise<boolean> {
  return typeof value === 'string' && key !== undefined && (await isAddressOf(field, bucket, key, value));
}

async function keepFile(
  bucket: FileBucket,
  file: NewFile,
  context: WriteContext,
  whenOver: AfterWrite | undefined,
): Promise<void> {
  const sending = Promise.withResolvers<void>();
  // Asked for before anything is sent: another field may fail while the file is on its way.
  context.afterWrite(async (outcome, after) => {
    const [sent] = await Promise.allSettled([sending.promise]);
    if (outcome !== 'undone') await whenOver?.(outcome, after);
    else if (!file.mayReplace && mayBeThere(sent)) await removeFiles(bucket, [file.key]);
  });
  sending.resolve(bucket.put(file));
  await sending.promise;
}

/** A file that got no answer may have been kept. */
function mayBeThere(sent: PromiseSettledResult<void>): boolean {
  if (sent.status === 'fulfilled') return true;
  return isCloudError(sent.reason) && sent.reason.code === 'FILE_STORE_UNAVAILABLE';
}
