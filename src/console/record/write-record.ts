import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';

import { useState } from 'react';
import { toast } from '../design/toasts.tsx';
import { rowsKey } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import { RequestFailed } from '../wire/http.ts';
import { own } from '../wire/own.ts';
import { type Page, type RelatedRow, type Row, recordBody } from '../wire/records.ts';
import type { Draft } from './form-state.ts';
import { valuesOf } from './form-state.ts';

/** What somebody else has written meanwhile, by field. */
export type Conflict = Readonly<Record<string, { readonly seen: unknown; readonly now: unknown }>>;

export interface RecordWriter {
  /** Sends what the draft changes, with what the person saw of it. Resolves to `false` where nothing was written. */
  save(draft: Draft): Promise<boolean>;
  readonly isSaving: boolean;
  /** By field; what belongs to no field is in `error`. */
  readonly problems: Readonly<Record<string, string>>;
  readonly error: Error | undefined;
  readonly conflict: Conflict | undefined;
  /** The answer never came: nobody knows whether the record was written. */
  readonly isUnknown: boolean;
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

interface Refusal {
  readonly problems: Readonly<Record<string, string>>;
  readonly error?: Error;
  readonly conflict?: Conflict;
  readonly isUnknown?: true;
}

const noRefusal: Refusal = { problems: {} };

/** Writes a record, and says field by field what keeps it from being written. A write is sent once. */
export function useRecordWriter({ agent, collection, row }: Target, onWritten: (id: string) => void): RecordWriter {
  const messages = useMessages();
  const client = useQueryClient();
  const [refusal, setRefusal] = useState<Refusal>(noRefusal);
  const mutation = useMutation({
    mutationFn: (body: object) =>
      askAgent<Written>(
        agent,
        row ? [collection.name, row.id] : [collection.name],
        {},
        {
          method: row ? 'PUT' : 'POST',
          body,
        },
      ),
  });
  /** Rows that somebody looks at stay where they are: a changed one has its new values already. */
  const refresh = async () => {
    const rows = { queryKey: ['rows', agent.environment, collection.name] };
    await client.invalidateQueries(row ? { ...rows, type: 'inactive' } : rows);
    await client.invalidateQueries({ queryKey: ['record', agent.environment, collection.name] });
  };
  /** Writes the old values back, if nobody has changed the new ones since. */
  const undo = async (old: Row, { attributes }: Written['data']) => {
    const changed = Object.keys(attributes).filter(
      (name) => Object.hasOwn(old.values, name) && !isSame(own(attributes, name), own(old.values, name)),
    );
    const pick = (values: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        changed.filter((name) => isWritable(collection, name)).map((name) => [name, own(values, name)]),
      );
    try {
      const { data } = await askAgent<Written>(
        agent,
        [collection.name, old.id],
        {},
        {
          method: 'PUT',
          body: { ...recordBody(collection.name, pick(old.values)), meta: { ifMatch: pick(attributes) } },
        },
      );
      showWritten(client, { agent, collection: collection.name }, data);
      toast(messages.undone);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      toast(messages.undoRefused(error.message));
    }
    await refresh();
  };
  const save = async (draft: Draft): Promise<boolean> => {
    const { values, problems } = valuesOf(draft, collection, messages.typed);
    setRefusal({ problems });
    if (Object.keys(problems).length > 0) return false;
    try {
      const { data } = await mutation.mutateAsync(bodyOf(collection, values, draft.links, row));
      if (row) showWritten(client, { agent, collection: collection.name }, data);
      if (!row) toast(messages.created);
      else if (Object.keys(draft.links).length > 0) toast(messages.saved);
      else toast(messages.saved, () => void undo(row, data));
      onWritten(data.id);
      await refresh();
      return true;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      setRefusal(refusalOf(error, collection));
      return false;
    }
  };
  return {
    save,
    isSaving: mutation.isPending,
    problems: refusal.problems,
    error: refusal.error,
    conflict: refusal.conflict,
    isUnknown: refusal.isUnknown ?? false,
    forget: () => setRefusal(noRefusal),
  };
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
  const seen = Object.keys(values).map((name) => [name, own(row.values, name) ?? null]);
  return seen.length === 0 ? body : { ...body, meta: { ifMatch: Object.fromEntries(seen) } };
}

function refusalOf(error: Error, { fields, relations }: VisibleCollection): Refusal {
  if (!(error instanceof RequestFailed)) return { problems: {}, error };
  if (error.status === 0) return { problems: {}, isUnknown: true };
  if (error.code === 'RECORD_CHANGED') return { problems: {}, conflict: (error.data['fields'] ?? {}) as Conflict };
  const known = new Set([...fields, ...relations].map(({ name }) => name));
  const ofFields = error.problems.filter(({ field }) => field !== undefined && known.has(field));
  return {
    problems: Object.fromEntries(ofFields.map(({ field, message }) => [field, message])),
    ...(ofFields.length === error.problems.length && ofFields.length > 0 ? {} : { error }),
  };
}

/** An edited row has its new values at once, and stays where it is. */
function showWritten(client: QueryClient, list: Parameters<typeof rowsKey>[0], written: Written['data']): void {
  client.setQueriesData<Page | number | null>({ queryKey: rowsKey(list) }, (page) => {
    if (typeof page !== 'object' || page === null || !('rows' in page)) return page;
    const rows = page.rows.map((row) =>
      row.id === written.id ? { ...row, values: { ...row.values, ...written.attributes } } : row,
    );
    return { ...page, rows };
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isWritable({ fields }: VisibleCollection, name: string): boolean {
  return fields.some((field) => field.name === name && !field.isReadOnly);
}
