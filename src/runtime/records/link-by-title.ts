import { invalidRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, columnOf, isValueField } from '../model/compiled-model.ts';
import { noId, packId } from '../model/record-id.ts';
import { titleField } from '../model/record-title.ts';
import type { CallContext } from './calls/call-context.ts';
import type { RecordReader } from './request/record-reader.ts';
import type { NewRecord, RecordService, RecordsToImport } from './request/record-service.ts';
import { invalidAttribute } from './write/write-attributes.ts';

/** A record of a file whose links have ids. */
export interface LinkedLine {
  readonly line: number;
  readonly record: () => NewRecord;
}

/** The ids of records, by their title. */
type IdsByTitle = ReadonlyMap<string, readonly string[]>;

/** More records of a collection than this are not looked through for the titles of one request. */
const mostFound = 20_000;

/**
 * Finds the records that titles name, among those that the caller may list. A title that names none of them, or several, is an error
 * of its line.
 *
 * @throws `REQUEST_FORBIDDEN` for a collection that the caller may not list
 */
export async function linkByTitle(
  { model }: Pick<RecordReader, 'model'>,
  list: RecordService['list'],
  collection: CompiledCollection,
  records: RecordsToImport['records'],
  context: CallContext,
): Promise<readonly LinkedLine[]> {
  const wanted = new Map<string, Set<string>>();
  for (const { titles } of records) {
    for (const [relation, title] of Object.entries(titles)) {
      wanted.set(relation, (wanted.get(relation) ?? new Set()).add(title));
    }
  }
  const found = new Map<string, { readonly foreign: CompiledCollection; readonly ids: IdsByTitle }>();
  for (const [relation, titles] of wanted) {
    const field = collection.fields.get(relation);
    const isToOne = field?.kind === 'ManyToOne' || field?.kind === 'OneToOne';
    const foreign = isToOne ? model.collections.get(field.foreignCollection) : undefined;
    // A relation that is not there is an error of the record, as with ids.
    if (foreign) found.set(relation, { foreign, ids: await idsOf(list, foreign, [...titles], context) });
  }
  const idOf = (relation: string, title: string): string => {
    const known = found.get(relation);
    if (!known) return title;
    const [id, other] = known.ids.get(title) ?? [];
    const { name } = known.foreign;
    const label = titleField(known.foreign);
    if (id === undefined) throw invalidAttribute(relation, `names no record of "${name}" by its "${label}"`);
    if (other !== undefined) throw invalidAttribute(relation, `names several records of "${name}" by their "${label}"`);
    if (id === noId) throw invalidAttribute(relation, `names a record of "${name}" that has no key by its "${label}"`);
    return id;
  };
  return records.map(({ line, titles, record }) => ({
    line,
    record: () =>
      record(Object.fromEntries(Object.entries(titles).map(([relation, title]) => [relation, idOf(relation, title)]))),
  }));
}

async function idsOf(
  list: RecordService['list'],
  foreign: CompiledCollection,
  titles: readonly string[],
  context: CallContext,
): Promise<IdsByTitle> {
  const { name, primaryKey, fields } = foreign;
  const title = titleField(foreign);
  if (primaryKey.length === 1 && primaryKey[0] === title) return new Map(titles.map((text) => [text, [text]]));
  const field = fields.get(title);
  const column = field && isValueField(field) ? columnOf(field) : undefined;
  if (column?.type !== 'String' && column?.type !== 'Enum' && column?.type !== 'Uuid') throw notByTitle(name, title);
  const records = await list(
    {
      collection: name,
      projection: [...primaryKey, title],
      where: { field: title, operator: 'In', value: titles },
      page: { skip: 0, limit: mostFound },
    },
    context,
  );
  if (records.length === mostFound) throw notByTitle(name, title);
  const ids = new Map<string, string[]>();
  for (const record of records) {
    const text = String(record[title]);
    ids.set(text, [...(ids.get(text) ?? []), packId(foreign, record)]);
  }
  return ids;
}

function notByTitle(collection: string, title: string) {
  return invalidRequest(
    `Records of "${collection}" cannot be told apart by "${title}".`,
    'Send their ids in "links" instead of "titles".',
  );
}
