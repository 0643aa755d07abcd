import { cloudError } from '#kernel/errors/cloud-error';
import type { CustomizationContext } from '../../customizer/customization-context.ts';
import type { FileBucket } from './file-bucket.ts';

const filesAtOnce = 8;
const keysAtOnce = 1000;

/** The column that refers to files. */
export interface KeyColumn {
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
  for (let start = 0; start < keys.length; start += filesAtOnce) {
    await Promise.all(
      keys.slice(start, start + filesAtOnce).map((key) =>
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
