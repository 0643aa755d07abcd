import type { PluginAgent } from '../../customizer/agent.ts';
import type { WriteContext } from '../../customizer/write-definition.ts';
import type { RecordData } from '../../query/record-query.ts';
import { UnprocessableError } from '../../user-code/refusals.ts';
import type { FileField } from './file-field.ts';
import { isKey } from './read-files.ts';

/** The record that a file is written to, as it is before the write. */
export interface FileHolder {
  /** `undefined` where the database makes the key of the record, and where the record is written through a relation. */
  readonly id: string | undefined;
  /** The key of the file that it has. */
  readonly key: string | undefined;
}

/** Throws `UnprocessableError` where one file would belong to several records. */
export async function holderIn(
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
