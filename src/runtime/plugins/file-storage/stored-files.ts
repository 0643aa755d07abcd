import { cloudError } from '#kernel/errors/cloud-error';
import type { CustomizationContext } from '../../customizer/customization-context.ts';
import { fileUriOf } from '../../query/file-uri.ts';
import type { FileBucket } from './file-bucket.ts';
import type { FileField } from './file-field.ts';

/** What the files of one answer may hold together, as long as they are read as data URIs. */
const mostBytesOfAnswer = 32_000_000;
const filesAtOnce = 8;

/** What the field shows for each key; nothing where there is no key, or no file under it. */
export async function readFiles(
  field: FileField,
  bucket: FileBucket,
  keys: readonly unknown[],
): Promise<(string | null)[]> {
  const urlOf = (key: string) => bucket.urlOf(key, field.urlLifetimeSeconds);
  if (field.readAs === 'url') return Promise.all(keys.map((key) => (isKey(key) ? urlOf(key) : null)));
  let bytesLeft = mostBytesOfAnswer;
  const isWanted = (sizeBytes: number) => {
    if (sizeBytes > Math.min(bytesLeft, field.maxSizeBytes)) return false;
    bytesLeft -= sizeBytes;
    return true;
  };
  const show = async (key: unknown) => {
    if (!isKey(key)) return null;
    const file = await bucket.get(key, isWanted);
    if (file === 'unwanted') return urlOf(key);
    return file ? fileUriOf({ name: nameIn(key), mimeType: file.contentType, buffer: file.bytes }) : null;
  };
  const shown: (string | null)[] = [];
  for (let start = 0; start < keys.length; start += filesAtOnce) {
    shown.push(...(await Promise.all(keys.slice(start, start + filesAtOnce).map(show))));
  }
  return shown;
}

/** Whether a client sends back what it has read: the key, or an address of its file. */
export async function isAddressOf(field: FileField, bucket: FileBucket, key: string, value: string): Promise<boolean> {
  if (value === key) return true;
  const sent = URL.parse(value);
  const own = URL.parse(await bucket.urlOf(key, field.urlLifetimeSeconds));
  // What a signature adds differs from one to the next.
  return sent !== null && own !== null && sent.origin === own.origin && sent.pathname === own.pathname;
}

export function isKey(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function nameIn(key: string): string {
  return key.split('/').at(-1) ?? key;
}

const removedAtOnce = 8;
const keysAtOnce = 1000;

/** The column that refers to files. */
interface KeyColumn {
  readonly collection: string;
  readonly column: string;
}

/** Remove files that no record refers to, now that a write is committed: it may have left records as they were. */
export async function removeUnused(
  bucket: FileBucket,
  keys: readonly string[],
  { collection, column }: KeyColumn,
  { dataSource }: CustomizationContext,
): Promise<void> {
  const unused = new Set(keys);
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const conditionTree = { field: column, operator: 'In', value: keys.slice(start, start + keysAtOnce) } as const;
    const records = await dataSource.getCollection(collection).list({ conditionTree }, [column]);
    for (const record of records) unused.delete(String(record[column]));
  }
  await removeFiles(bucket, [...unused]);
}

/** Remove files; those that cannot be removed are named in the error, once all others are gone. */
export async function removeFiles(bucket: FileBucket, keys: readonly string[]): Promise<void> {
  const failed: { readonly key: string; readonly reason: unknown }[] = [];
  for (let start = 0; start < keys.length; start += removedAtOnce) {
    await Promise.all(
      keys.slice(start, start + removedAtOnce).map((key) =>
        bucket.remove(key).catch((reason: unknown) => {
          failed.push({ key, reason });
        }),
      ),
    );
  }
  const [first] = failed;
  if (!first) return;
  const shown = failed.slice(0, 10).map(({ key }) => JSON.stringify(key));
  const more = failed.length > shown.length ? ` and ${failed.length - shown.length} more` : '';
  throw cloudError(
    'FILE_NOT_REMOVED',
    `Files that nothing refers to are still in the store: ${shown.join(', ')}${more}.`,
    'Remove them from the bucket.',
    { cause: first.reason },
  );
}
