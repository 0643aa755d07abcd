import type { z } from 'zod';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import type { RecordQuery } from '../../../records/request/record-service.ts';
import { rowsThatFit } from './answer-size.ts';
import { callerOf } from './arguments.ts';
import { type DefaultFields, defaultFields } from './default-fields.ts';
import type { ListArguments, listOutput } from './list-arguments.ts';
import { type ListPage, listIdentity, orderOf, pageOf, readSelection } from './list-question.ts';
import { shownRecord } from './shown-record.ts';
import type { ToolCall } from './tool.ts';

type ListAnswer = z.input<typeof listOutput>;

/** A list as it was asked for, read once the right to it is known. */
interface ReadList {
  readonly query: RecordQuery;
  readonly page: ListPage;
  /** What its cursors are bound to. */
  readonly identity: readonly unknown[];
}

/** @param relatedTo The relation, when the list holds the records behind one, and the id of its record for cursors. */
export async function answerList(
  args: ListArguments,
  collection: CompiledCollection,
  call: ToolCall,
  relatedTo?: { readonly end: RelationEnd; readonly id: unknown },
): Promise<ListAnswer> {
  const { recordService, model } = call.state;
  const deleted = args.deleted && { collection: collection.name, choice: args.deleted };
  const context = { caller: callerOf(call, args.timezone), signal: call.signal, deleted };
  const fields = args.fields ? undefined : defaultFields(collection);
  const paths = fields?.shown ?? (args.fields ?? []).map((field) => field.replaceAll('@@@', ':'));
  const end = relatedTo?.end;

  let known: ReadList | undefined;
  const readList = (): ReadList => {
    const { caller } = context;
    const place = [caller.id, caller.renderingId, caller.timezone, collection.name, end?.relation, relatedTo?.id];
    const identity = [...place, ...listIdentity(args)];
    const page = pageOf(args, (cursor) => call.cursors.read(cursor, identity));
    const selection = readSelection(model, collection, args);
    // One more record tells whether there is a next page.
    const window = { skip: page.skip, limit: page.size + 1 };
    const sort = orderOf(collection, args);
    return { query: { ...selection, relatedTo: end, projection: paths, sort, page: window }, page, identity };
  };
  const read = () => {
    known ??= readList();
    return known;
  };

  const isCounting = args.enableCount && collection.isCountable;
  const [found, totalCount] = await Promise.all([
    recordService.list({ collection: collection.name, read: () => read().query }, context),
    isCounting ? recordService.count({ collection: collection.name, read: () => read().query }, context) : undefined,
  ]);
  const { page, identity } = read();
  const named = new Set(args.fields ? paths : []);
  const onPage = found.slice(0, page.size).map((record) => shownRecord(model, collection, record, named));
  const records = rowsThatFit(onPage, args.maxBytes);
  const isTruncated = records.length < onPage.length;
  const hasMore = found.length > records.length;
  const next = page.skip + records.length;
  const notes = notesOf(args, fields, isTruncated ? onPage.length - records.length : 0, collection);
  return {
    records: [...records],
    page: {
      number: Math.floor(page.skip / page.size) + 1,
      size: page.size,
      returned: records.length,
      hasMore,
      ...(isTruncated ? { truncated: true } : {}),
      ...(hasMore && records.length > 0 ? { nextCursor: call.cursors.issue(next, identity) } : {}),
    },
    ...(totalCount === undefined ? {} : { totalCount }),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

function notesOf(
  { enableCount, maxBytes }: ListArguments,
  fields: DefaultFields | undefined,
  cut: number,
  { isCountable }: CompiledCollection,
): string[] {
  const leftOut = fields?.leftOut ?? [];
  return [
    ...(leftOut.length > 0 ? [`Left out, because "fields" names nothing: ${leftOut.join(', ')}.`] : []),
    ...(cut > 0
      ? [
          `${cut} more records of this page do not fit into ${maxBytes} bytes: name fewer fields, or go on with a cursor.`,
        ]
      : []),
    ...(enableCount && !isCountable ? ['Counting is switched off for this collection.'] : []),
  ];
}
