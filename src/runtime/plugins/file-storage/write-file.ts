import { randomUUID } from 'node:crypto';
import { isCloudError } from '#kernel/errors/cloud-error';
import { bareFileName } from '#kernel/text/content-disposition';
import type { PluginAgent } from '../../customizer/agent.ts';
import type { UnendedWrite, WriteContext, WriteHandler } from '../../customizer/write-definition.ts';
import { parseFileUri } from '../../query/file-uri.ts';
import type { RecordData } from '../../query/record-query.ts';
import { customizationFailed } from '../../user-code/call-handler.ts';
import { UnprocessableError, ValidationError } from '../../user-code/refusals.ts';
import type { FileBucket, NewFile } from './file-bucket.ts';
import type { FileField } from './file-field.ts';
import { isAddressOf, isKey, removeFiles, removeUnused } from './stored-files.ts';
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

/** Characters that mean nothing to addresses, shells and file systems. */
const unusual = /[^\p{L}\p{N}._-]+/gu;
const longestName = 100;
/** What S3 takes. */
const longestKeyBytes = 1024;

/** A key that no other file has: `orders/0b9f…/invoice.pdf`. */
function defaultKey(collection: string, fileName: string): string {
  return `${keyPart(collection)}/${randomUUID()}/${keyPart(bareFileName(fileName))}`;
}

/** The end of a long name is kept, because it says what kind of file it is. */
function keyPart(name: string): string {
  const plain = name.normalize('NFC').replaceAll(unusual, '-').slice(-longestName).replace(/^\.+/, '').toWellFormed();
  return plain === '' ? 'file' : plain;
}

/** The key that code of the project gives. Throws `CUSTOMIZATION_FAILED` for one that leads elsewhere than it seems to. */
function checkedKey(key: unknown): string {
  if (typeof key !== 'string') throw unusableKey('is not a text');
  if (key === '' || Buffer.byteLength(key) > longestKeyBytes) {
    throw unusableKey(`is empty or longer than ${longestKeyBytes} bytes`);
  }
  if (/\p{Cc}/u.test(key) || !key.isWellFormed()) throw unusableKey('holds characters that no key may have');
  if (key.split('/').some((part) => ['', '.', '..'].includes(part)))
    throw unusableKey('has an empty part, "." or ".."');
  return key;
}

function unusableKey(problem: string) {
  return customizationFailed(`The key that "storeAt" gives to a file ${problem}.`);
}

/** The record that a file is written to, as it is before the write. */
interface FileHolder {
  /** `undefined` where the database makes the key of the record, and where the record is written through a relation. */
  readonly id: string | undefined;
  /** The key of the file that it has. */
  readonly key: string | undefined;
}

/** Throws `UnprocessableError` where one file would belong to several records. */
async function holderIn(
  agent: PluginAgent,
  { columnName, fieldName }: FileField,
  { action, record, filter, collection }: WriteContext,
): Promise<FileHolder> {
  const outline = agent.collections.find(({ name }) => name === collection.name);
  const keyColumns = (outline?.columns ?? []).filter(({ isPrimaryKey }) => isPrimaryKey).map(({ name }) => name);
  if (action === 'create') return { id: idOf(keyColumns, record), key: undefined };
  // A record that is written through a relation is not known yet.
  if (!filter) return { id: undefined, key: undefined };
  const [found, another] = await collection.list({ conditionTree: filter.conditionTree, page: { skip: 0, limit: 2 } }, [
    ...keyColumns,
    columnName,
  ]);
  if (another) throw new UnprocessableError(`A file of "${fieldName}" is written to one record at a time.`);
  const key = found?.[columnName];
  return { id: found && idOf(keyColumns, found), key: isKey(key) ? key : undefined };
}

/** The key of a record as ids are written: its parts joined with `|`, bytes in hexadecimal. */
function idOf(keyColumns: readonly string[], record: RecordData): string | undefined {
  const parts = keyColumns.map((name) => record[name]);
  if (parts.length === 0 || parts.some((part) => part === undefined || part === null)) return undefined;
  return parts.map((part) => (part instanceof Uint8Array ? Buffer.from(part).toString('hex') : String(part))).join('|');
}
