import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dropToasts, toast } from '../design/toasts.tsx';
import { useStable } from '../design/use-stable.ts';
import { rowsKey } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import { isWritten, type VisibleCollection } from '../model/schema.ts';
import { textOf } from '../values/text-of.ts';
import { type AgentAddress, askAgent, zone } from '../wire/agent.ts';
import { RequestFailed } from '../wire/http.ts';
import { own } from '../wire/own.ts';
import { noId, type Page, type RelatedRow, type Row, recordBody } from '../wire/records.ts';
import { type Draft, emptyDraft, openProblems, valuesOf, withWritten } from './form-state.ts';
import { type Conflict, candidatesFor, isSame, outcomeOf, type SentRecord } from './outcome.ts';
import { recordQuery } from './record-query.ts';

/** The answer to a write never came: nobody knows whether the record was written, until somebody reads. */
interface UnknownWrite {
  /** Records that may be the new one; `undefined` before somebody has looked for them. */
  readonly candidates: readonly Row[] | undefined;
  /** Finds out by reading. Nothing is sent again. */
  readonly check: () => Promise<void>;
  /** This is the record that was written. */
  readonly accept: (candidate: Row) => void;
}

export interface RecordWriter {
  /** Sends what the draft changes, with what the person saw of it. Resolves to `false` where nothing was written. */
  save(draft: Draft): Promise<boolean>;
  readonly isSaving: boolean;
  /** What is against a draft, by field; what belongs to no field is in `error`. */
  problemsOf(draft: Draft): Readonly<Record<string, string>>;
  readonly error: Error | undefined;
  readonly conflict: Conflict | undefined;
  readonly unknown: UnknownWrite | undefined;
  /** A write whose answer never came has turned out not to have happened. */
  readonly wasNotSaved: boolean;
  forget(): void;
}

interface Target {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  /** The record that is changed; absent for a new one. */
  readonly row?: Row;
}

interface Written {
  readonly data: { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> };
}

/** A record that is written, with the values that the server answered. */
export type WrittenRecord = Pick<Row, 'id' | 'values'>;

interface Refusal {
  /** What was refused. */
  readonly draft: Draft;
  readonly problems: Readonly<Record<string, string>>;
  readonly error?: Error;
  readonly conflict?: Conflict;
  readonly sent?: SentRecord;
  readonly candidates?: readonly Row[];
  readonly wasNotSaved?: true;
}

const noRefusal: Refusal = { draft: emptyDraft, problems: {} };
const notSaved: Refusal = { ...noRefusal, wasNotSaved: true };

/** Writes a record, and says field by field what keeps it from being written. A write is sent once. */
export function useRecordWriter(
  target: Target,
  onWritten: (record: WrittenRecord, sent?: Draft) => void,
): RecordWriter {
  const { agent, collection, row } = target;
  const messages = useMessages();
  const client = useQueryClient();
  const [refusal, setRefusal] = useState<Refusal>(noRefusal);
  const mutation = useMutation({ mutationFn: (sent: SentRecord) => sendRecord(target, sent) });
  const refresh = useRefresh(agent, collection, row !== undefined);
  const undo = useUndo(agent, collection);
  // The form may have other values by the time the answer comes.
  const tell = useStable(onWritten);
  const save = async (draft: Draft): Promise<boolean> => {
    const { values, problems } = valuesOf(draft, collection, messages.typed);
    setRefusal({ draft, problems });
    if (Object.keys(problems).length > 0) {
      dropToasts();
      return false;
    }
    try {
      const { data } = await mutation.mutateAsync({ values, links: draft.links });
      if (row) showWritten(client, { agent, collection: collection.name }, data, draft.links);
      if (!row) toast(messages.created);
      else if (Object.keys(draft.links).length > 0) toast(messages.saved);
      else toast(messages.saved, () => void undo(row, data));
      tell({ id: data.id, values: data.attributes }, draft);
      await refresh();
      return true;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      dropToasts();
      setRefusal({ draft, ...refusalOf(error, collection, { values, links: draft.links }) });
      return false;
    }
  };
  const accept = (record: WrittenRecord) => {
    setRefusal(noRefusal);
    toast(row ? messages.saved : messages.created);
    tell(record);
    void refresh();
  };
  const check = async () => {
    const { sent } = refusal;
    if (!sent) return;
    try {
      if (row) {
        const now = await client.fetchQuery({ ...recordQuery(agent, collection, row.id), staleTime: 0 });
        const outcome = outcomeOf(sent, row, now);
        if (outcome === 'saved') accept(now);
        else setRefusal(outcome === 'not saved' ? notSaved : { ...noRefusal, conflict: outcome });
      } else {
        const candidates = await candidatesFor(agent, collection, sent);
        setRefusal(candidates.length === 0 ? notSaved : { ...noRefusal, sent, candidates });
      }
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setRefusal({ ...refusal, error });
    }
  };
  return {
    save,
    isSaving: mutation.isPending,
    problemsOf: (draft) => openProblems(refusal, draft, collection),
    error: refusal.error,
    conflict: refusal.conflict,
    unknown: refusal.sent && { candidates: refusal.candidates, check, accept },
    wasNotSaved: refusal.wasNotSaved ?? false,
    forget: () => setRefusal(noRefusal),
  };
}

/** Values and relations of a record are one write: all of it is done, or nothing. */
function sendRecord({ agent, collection, row }: Target, { values, links }: SentRecord): Promise<Written> {
  const body = bodyOf(collection, values, links, row);
  if (!row) return askAgent<Written>(agent, [collection.name], {}, { method: 'POST', body });
  return putRecord(agent, collection, row.id, body);
}

/** @throws RequestFailed for a record that is not there any more: the agent answers nothing then, and says why when it is read */
async function putRecord(agent: AgentAddress, { name }: VisibleCollection, id: string, body: object): Promise<Written> {
  const path = [name, id];
  const { data } = await askAgent<{ data: Written['data'] | null }>(agent, path, {}, { method: 'PUT', body });
  if (data !== null) return { data };
  await askAgent(agent, path);
  throw new RequestFailed({ message: 'Nothing was written. Load the record again.', status: 404 });
}

/** Screens read the records of a collection again. Rows that somebody looks at stay where they are: a changed one has its new values already. */
function useRefresh(
  { environment }: AgentAddress,
  { name }: VisibleCollection,
  isChange: boolean,
): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    const rows = { queryKey: ['rows', environment, name] };
    await client.invalidateQueries(isChange ? { ...rows, type: 'inactive' } : rows);
    await client.invalidateQueries({ queryKey: ['record', environment, name] });
  };
}

/** Writes the old values back, if nobody has changed the new ones since. */
function useUndo(agent: AgentAddress, collection: VisibleCollection) {
  const messages = useMessages();
  const client = useQueryClient();
  const refresh = useRefresh(agent, collection, true);
  return async (old: Row, { attributes }: Written['data']): Promise<void> => {
    const changed = Object.keys(attributes).filter(
      (name) => Object.hasOwn(old.values, name) && !isSame(own(attributes, name), own(old.values, name)),
    );
    const pick = (values: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        changed
          .filter((name) => isWritable(collection, name) && !isMasked(collection, name))
          .map((name) => [name, own(values, name)]),
      );
    const body = { ...recordBody(collection.name, pick(old.values)), meta: { ifMatch: pick(attributes) } };
    try {
      const { data } = await putRecord(agent, collection, old.id, body);
      showWritten(client, { agent, collection: collection.name }, data);
      toast(messages.undone);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      const changes = Object.entries((error.data['fields'] ?? {}) as Conflict);
      const both = changes.map(([name, { seen, now }]) => messages.undoConflict(name, lineOf(seen), lineOf(now)));
      toast(messages.undoRefused(error.code === 'RECORD_CHANGED' ? both.join(' ') : error.message));
    }
    await refresh();
  };
}

function lineOf(value: unknown): string {
  return textOf(value, 'String', zone()).text;
}

/** A changed record carries what the person saw of the changed fields, so that nobody's newer value is lost. */
function bodyOf(
  collection: VisibleCollection,
  values: Readonly<Record<string, unknown>>,
  links: Readonly<Record<string, RelatedRow | null>>,
  row: Row | undefined,
): object {
  const body = recordBody(collection.name, values, links);
  if (!row) return body;
  const seen = Object.keys(values)
    .filter((name) => !isMasked(collection, name))
    .map((name) => [name, own(row.values, name) ?? null]);
  // Nobody counts on a record without a key: it has no id to be named by.
  const led = Object.keys(links)
    .filter((name) => Object.hasOwn(row.related, name) && own(row.related, name)?.id !== noId)
    .map((name) => [name, own(row.related, name)?.id ?? null]);
  const meta = {
    ...(seen.length + led.length > 0 ? { ifMatch: Object.fromEntries([...seen, ...led]) } : {}),
    ...(Object.keys(links).length > 0 ? { writesRelationships: true } : {}),
  };
  return { ...body, meta };
}

/** What is seen of a masked value is not a value that the record could have. */
function isMasked({ fields }: VisibleCollection, name: string): boolean {
  return fields.some((field) => field.name === name && field.isMasked === true);
}

function refusalOf(error: Error, { fields, relations }: VisibleCollection, sent: SentRecord): Omit<Refusal, 'draft'> {
  if (!(error instanceof RequestFailed)) return { problems: {}, error };
  if (isAnswerLost(error)) return { problems: {}, sent };
  if (error.code === 'RECORD_CHANGED') return { problems: {}, conflict: (error.data['fields'] ?? {}) as Conflict };
  const known = new Set([...fields, ...relations].map(({ name }) => name));
  const ofFields = error.problems.filter(({ field }) => field !== undefined && known.has(field));
  return {
    problems: Object.fromEntries(ofFields.map(({ field, message }) => [field, message])),
    ...(ofFields.length === error.problems.length && ofFields.length > 0 ? {} : { error }),
  };
}

/** Nothing came back, or a server between said that it heard nothing from the agent, which may have written. */
function isAnswerLost({ status, code }: RequestFailed): boolean {
  return status === 0 || status === 504 || code === 'AGENT_UNREACHABLE';
}

/** An edited row has its new values at once, and stays where it is. */
function showWritten(
  client: QueryClient,
  list: Parameters<typeof rowsKey>[0],
  written: Written['data'],
  links?: Draft['links'],
): void {
  client.setQueriesData<Page | number | null>({ queryKey: rowsKey(list) }, (page) => {
    if (typeof page !== 'object' || page === null || !('rows' in page)) return page;
    return {
      ...page,
      rows: page.rows.map((row) => (row.id === written.id ? withWritten(row, written.attributes, links) : row)),
    };
  });
}

function isWritable({ fields }: VisibleCollection, name: string): boolean {
  return fields.some((field) => field.name === name && isWritten(field, 'edit'));
}
