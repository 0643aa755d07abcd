import type * as z from 'zod';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { tellsRecordsApart, titleField } from '../../../model/record-title.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import { untrustedColumns } from '../marks/seen-text.ts';
import { rowsThatFit } from '../render/answer-text.ts';
import { shownRecord, valueFields } from '../render/shown-record.ts';
import { callerOf } from './arguments.ts';
import type { ListArguments, listOutput } from './list-arguments.ts';
import { type ListQuestion, readList } from './list-question.ts';
import type { ToolCall } from './tool.ts';

/** @param relatedTo The relation, when the list holds the records behind one, and the packed id of its record. */
export async function answerList(
  args: ListArguments,
  collection: CompiledCollection,
  call: ToolCall,
  relatedTo?: { readonly end: RelationEnd; readonly id: string },
): Promise<z.input<typeof listOutput>> {
  const { name } = collection;
  const { recordService, model } = call.state;
  const caller = callerOf(call, args.timezone);
  const deleted = args.deleted && { collection: name, choice: args.deleted };
  const { signal, reads } = call;
  const context = { caller, signal, reads, deleted, noteCodeRead: call.seen.noteCodeRead };
  const fields = args.fields ? undefined : defaultFields(collection, untrustedColumns(model, collection));
  const projection = fields?.shown ?? (args.fields ?? []).map((field) => field.replaceAll('@@@', ':'));
  const end = relatedTo?.end;
  const place = [caller.id, caller.renderingId, caller.timezone, name, end?.relation, relatedTo?.id];

  let known: ListQuestion | undefined;
  const read = (): ListQuestion => {
    known ??= readList(model, call.cursors, {
      ...{ args, collection, projection, relatedTo: end, place },
      limits: call.limits,
    });
    return known;
  };
  const isCounting = args.enableCount && collection.isCountable;
  const [found, totalCount] = await Promise.all([
    recordService.page({ collection: name, read: () => read().query }, context),
    isCounting ? recordService.count({ collection: name, read: () => read().selection() }, context) : undefined,
  ]);

  const { query, identity } = read();
  const skipped = query.after?.skip ?? 0;
  const named = new Set(args.fields ? projection : []);
  const onPage = found.records.map((record) => shownRecord(model, collection, record, named));
  const records = rowsThatFit(onPage, args.maxBytes);
  call.seen.showRecords(collection, projection, found.records.slice(0, records.length));
  const cut = onPage.length - records.length;
  const hasMore = found.hasMore || cut > 0;
  const next = hasMore && records.length > 0 ? await found.placeBehind(records.length) : undefined;
  const leftOut = { fields: fields?.leftOut ?? [], untrusted: fields?.untrusted ?? [], records: cut };
  const notes = listNotes(args, collection, leftOut);
  return {
    records: [...records],
    page: {
      number: Math.floor(skipped / query.size) + 1,
      size: query.size,
      returned: records.length,
      hasMore,
      ...(cut > 0 ? { truncated: true } : {}),
      ...(next ? { nextCursor: call.cursors.issue(next, identity) } : {}),
    },
    ...(totalCount === undefined ? {} : { totalCount }),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

const maxFields = 20;

/** The fields of a list that names none. */
interface DefaultFields {
  readonly shown: readonly string[];
  readonly leftOut: readonly string[];
  /** Left out because people outside can write them. */
  readonly untrusted: readonly string[];
}

/** The columns of a collection that are trusted; of many, the key, those that tell records apart, and the first others. */
function defaultFields(collection: CompiledCollection, outside: ReadonlySet<string>): DefaultFields {
  const all = valueFields(collection);
  const columns = all.filter((name) => !outside.has(name));
  const untrusted = all.filter((name) => outside.has(name));
  if (columns.length <= maxFields) return { shown: columns, leftOut: [], untrusted };
  const first = new Set([
    ...collection.primaryKey.filter((name) => columns.includes(name)),
    ...[titleField(collection)].filter((name) => !outside.has(name)),
    ...columns.filter(tellsRecordsApart),
    ...columns,
  ]);
  const chosen = new Set([...first].slice(0, maxFields));
  return {
    shown: columns.filter((name) => chosen.has(name)),
    leftOut: columns.filter((name) => !chosen.has(name)),
    untrusted,
  };
}

/** Fields that a note names. */
const maxNamed = 50;

/** What a list leaves out. */
interface LeftOut {
  readonly fields: readonly string[];
  readonly untrusted: readonly string[];
  /** Records of the page that did not fit. */
  readonly records: number;
}

/** Says which fields are not there, and how to get them. */
export function untrustedNote(untrusted: readonly string[]): string {
  return `Left out, because people outside can write them: ${namesOf(untrusted)}. Name them in "fields" to read them; after that the person has to agree to every write.`;
}

function namesOf(fields: readonly string[]): string {
  const others = fields.length > maxNamed ? ` and ${fields.length - maxNamed} more` : '';
  return `${fields.slice(0, maxNamed).join(', ')}${others}`;
}

/** What a reader of a list should know besides its records. */
function listNotes(
  { enableCount, maxBytes }: ListArguments,
  { isCountable }: CompiledCollection,
  { fields, untrusted, records }: LeftOut,
): string[] {
  const notes: string[] = [];
  if (fields.length > 0) notes.push(`Left out, because "fields" names nothing: ${namesOf(fields)}.`);
  if (untrusted.length > 0) notes.push(untrustedNote(untrusted));
  if (records > 0) {
    notes.push(
      `${records} more records of this page do not fit into ${maxBytes} bytes: name fewer fields, or raise maxBytes.`,
    );
  }
  if (enableCount && !isCountable) notes.push('Counting is switched off for this collection.');
  return notes;
}
