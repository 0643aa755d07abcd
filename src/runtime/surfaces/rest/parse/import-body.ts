import { type CloudError, cloudError, togetherInOne } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, type CompiledModel, columnOf, isValueField } from '../../../model/compiled-model.ts';
import { type FileFormat, readValueOf, TextUnread } from '../../../query/portable-value.ts';
import type { RecordData } from '../../../query/record-query.ts';
import { setValue } from '../../../query/shape-record.ts';
import type { NewRecord, RecordsToImport } from '../../../records/request/record-service.ts';
import { isJsonObject, type JsonObject, memberOf } from '../../request/request-bodies.ts';
import { parseRecordToCreate } from './record-body.ts';

const mostRecords = 5_000;
const formats = Object.keys(readValueOf) as readonly FileFormat[];

/** The records of a file. What is wrong with one of them shows when it is read. Throws `REQUEST_INVALID`. */
export function parseImport(model: CompiledModel, collection: CompiledCollection, body: unknown): RecordsToImport {
  const mode = memberOf(body, 'mode');
  if (mode !== 'all' && mode !== 'parts') {
    throw invalidRequest(
      '"mode" must be "all" or "parts".',
      'Say whether all records are written or none, or each by itself.',
    );
  }
  const format = parseFormat(memberOf(body, 'format'));
  const records = memberOf(body, 'records');
  if (!Array.isArray(records) || !records.every(isJsonObject)) {
    throw invalidRequest('"records" must be a list of objects.', 'Send {"records":[{"line":2,"values":{…}}]}.');
  }
  if (records.length > mostRecords) {
    throw invalidRequest(
      `The import has ${records.length} records, and ${mostRecords} are the most at once.`,
      'Send the file in several requests.',
    );
  }
  return {
    mode,
    records: records.map((sent, index) => ({
      line: lineOf(sent, index),
      titles: titlesOf(sent, format),
      record: (ids) => readRecord(model, collection, sent, ids, format),
    })),
  };
}

function parseFormat(format: unknown): FileFormat | undefined {
  const found = formats.find((name) => name === format);
  if (found || format === undefined) return found;
  throw invalidRequest('"format" must be "csv" or "ndjson".', 'Leave it out for values as attributes have them.');
}

function lineOf({ line }: JsonObject, index: number): number {
  if (line === undefined) return index + 1;
  if (typeof line === 'number' && Number.isSafeInteger(line) && line > 0) return line;
  throw invalidRequest('"line" of a record must be a whole number.', 'Count from 1, or leave it out.');
}

/** Throws `REQUEST_INVALID`, naming the fields. */
function readRecord(
  model: CompiledModel,
  collection: CompiledCollection,
  sent: JsonObject,
  ids: Readonly<Record<string, string>>,
  format: FileFormat | undefined,
): NewRecord {
  const values = objectOf(sent, 'values');
  const nowhere = Object.keys(objectOf(sent, 'titles')).map((relation) => [relation, null] as const);
  const links = [...nowhere, ...Object.entries(objectOf(sent, 'links')), ...Object.entries(ids)].map(
    ([relation, id]) => [relation, { data: isNowhere(id, format) ? null : { id } }] as const,
  );
  const attributes = format ? readValues(collection, values, format) : values;
  return parseRecordToCreate(model, collection, { data: { attributes, relationships: Object.fromEntries(links) } });
}

/** What records are called that relations lead to; those that lead nowhere are left out. */
function titlesOf(sent: JsonObject, format: FileFormat | undefined): Readonly<Record<string, string>> {
  const named = Object.entries(objectOf(sent, 'titles')).filter(([, title]) => !isNowhere(title, format));
  return Object.fromEntries(named.map(([relation, title]) => [relation, String(title)]));
}

function isNowhere(named: unknown, format: FileFormat | undefined): boolean {
  return named === null || (format === 'csv' && named === '');
}

/** The values of a file, as attributes. Values of unknown fields come back as they are, to be refused. */
function readValues({ fields }: CompiledCollection, values: RecordData, format: FileFormat): RecordData {
  const read: Record<string, unknown> = {};
  const errors: CloudError[] = [];
  for (const [name, value] of Object.entries(values)) {
    const field = fields.get(name);
    try {
      setValue(read, name, field && isValueField(field) ? readValueOf[format](columnOf(field), value) : value);
    } catch (error) {
      if (!(error instanceof TextUnread)) throw error;
      errors.push(unreadable(name, error));
    }
  }
  const [first, ...others] = errors;
  if (first) throw togetherInOne([first, ...others]);
  return read;
}

function unreadable(field: string, { wanted }: TextUnread): CloudError {
  return cloudError('REQUEST_INVALID', `The field "${field}" must be ${wanted}.`, `Correct or leave out "${field}".`, {
    details: { field },
  });
}

function objectOf(parent: JsonObject, name: string): JsonObject {
  const member = memberOf(parent, name) ?? {};
  if (isJsonObject(member)) return member;
  throw invalidRequest(`"${name}" of a record must be an object.`, 'Send the values by field.');
}
