import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ShownHistory, ShownWrite } from '#contracts/history';
import { Button, Failure, look } from '../design/controls.tsx';
import { useFocusBack } from '../design/focus.ts';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { Time } from '../values/time.tsx';
import { FieldValue, Value } from '../values/value.tsx';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import { hearPlatform } from '../wire/events.ts';
import { RequestFailed } from '../wire/http.ts';
import { own } from '../wire/own.ts';
import type { Row } from '../wire/records.ts';
import styles from './history-panel.module.css';
import type { Conflict } from './outcome.ts';
import { stateBefore } from './past-states.ts';

interface HistoryPanelProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly id: string;
  /** What the record is now; absent where it is deleted. */
  readonly row?: Row;
}

/** Who wrote the record, when, and what: each write with its values, what the record was then, and a way to take it back. */
export function HistoryPanel({ agent, collection, id, row }: HistoryPanelProps) {
  const messages = useMessages();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(row === undefined);
  const { environment } = agent;
  const { name } = collection;
  const pages = useInfiniteQuery({
    queryKey: ['record', environment, name, id, 'history'],
    queryFn: ({ pageParam, signal }) =>
      askAgent<ShownHistory>(agent, ['_internal', 'history', name, id], { before: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next?.toString(),
    enabled: isOpen,
  });
  useEffect(() => {
    if (!isOpen) return;
    // A write is in the log a moment after its answer.
    return hearPlatform(environment, (event) => {
      if (event.type !== 'records' || event.collection !== name) return;
      void client.invalidateQueries({ queryKey: ['record', environment, name, id, 'history'] });
    });
  }, [client, environment, name, id, isOpen]);
  const panel = useRef<HTMLElement>(null);
  const isUnfolded = isOpen && !pages.isPending && row !== undefined;
  useEffect(() => {
    // The panel is the last one of the page: what it unfolds would be below the window.
    if (isUnfolded) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [isUnfolded]);
  const writes = pages.data?.pages.flatMap((page) => page.writes) ?? [];
  // The screen of a record that nobody finds has said so. Only what was done to it adds to that.
  if (row === undefined && writes.length === 0) return null;
  const isKept = pages.data?.pages[0]?.isKept;
  return (
    <section ref={panel} className={styles['panel']} aria-label={messages.history.title}>
      <h2>
        <button type="button" className={look.button} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {messages.history.title}
        </button>
      </h2>
      {isOpen && pages.error && <Failure error={pages.error} onRetry={() => void pages.refetch()} />}
      {isOpen && pages.isPending && <p className={look.late}>{messages.loading}</p>}
      {isOpen && isKept === false && <p className={look.small}>{messages.history.notKept}</p>}
      {isOpen && pages.data && writes.length === 0 && <p className={look.small}>{messages.history.empty}</p>}
      {isOpen && (
        <ol className={styles['writes']}>
          {writes.map((write, index) => (
            <Write
              key={write.sequence}
              {...{ agent, collection, id, write }}
              newer={writes.slice(0, index)}
              now={row?.values ?? {}}
              isKept={isKept === true}
            />
          ))}
        </ol>
      )}
      {isOpen && pages.hasNextPage && (
        <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {messages.history.older}
        </Button>
      )}
    </section>
  );
}

interface WriteProps extends Omit<HistoryPanelProps, 'row'> {
  readonly write: ShownWrite;
  /** The writes behind it, the newest first. */
  readonly newer: readonly ShownWrite[];
  readonly now: Readonly<Record<string, unknown>>;
  /** Whether values of the collection are kept. */
  readonly isKept: boolean;
}

function Write({ agent, collection, id, write, newer, now, isKept }: WriteProps) {
  const messages = useMessages();
  const { history } = messages;
  const [isStateShown, setStateShown] = useState(false);
  const { action, label, user, client, tool, occurredAt, status, problem, unkept, isUndoable } = write;
  const what = messages.auditLog.actions[action as keyof typeof messages.auditLog.actions] ?? action;
  return (
    <li>
      <p>
        <strong>{label === undefined ? what : `${what}: ${label}`}</strong> <bdi>{user.name}</bdi>
        {client !== undefined && <span className={look.small}> {history.by(client, tool)}</span>}{' '}
        <span className={look.small}>
          <Time at={occurredAt} />
        </span>
        {status === 'pending' && <span className={look.small}> {messages.auditLog.outcomes.pending}</span>}
      </p>
      {isKept && problem !== undefined && <p className={look.small}>{problem}</p>}
      <Changes collection={collection} write={write} />
      {Object.entries(unkept).map(([name, why]) => (
        <p key={name} className={look.small}>
          <bdi>{name}</bdi>: {why}
        </p>
      ))}
      <div className={look.row}>
        {isUndoable && <Undo agent={agent} collection={collection} id={id} write={write} />}
        {isKept && action !== 'delete' && (
          <Button aria-expanded={isStateShown} onClick={() => setStateShown(!isStateShown)}>
            {history.state}
          </Button>
        )}
      </div>
      {isStateShown && <State collection={collection} now={now} newer={newer} />}
    </li>
  );
}

/** The values of the fields that were written: before, and after. Where no values are kept, the names of the fields. */
function Changes({
  collection,
  write: { before, after, fields },
}: {
  collection: VisibleCollection;
  write: ShownWrite;
}) {
  const messages = useMessages();
  const names = Object.keys({ ...before, ...after });
  if (names.length === 0 && fields.length > 0) {
    return (
      <p className={look.small}>
        {messages.history.fields} <bdi>{fields.join(', ')}</bdi>
      </p>
    );
  }
  if (names.length === 0) return null;
  return (
    <table className={styles['changes']}>
      <thead>
        <tr>
          <th scope="col">{messages.history.field}</th>
          <th scope="col">{messages.history.before}</th>
          <th scope="col">{messages.history.after}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">
              <bdi>{name}</bdi>
            </th>
            <td>{before && <PastValue collection={collection} name={name} values={before} />}</td>
            <td>{after && <PastValue collection={collection} name={name} values={after} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PastValue({
  collection,
  name,
  values,
}: {
  readonly collection: VisibleCollection;
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}) {
  const field = collection.fields.find((each) => each.name === name);
  const value = own(values, name) ?? null;
  return field ? <FieldValue value={value} field={field} /> : <Value value={value} type="String" />;
}

/** What the record was after a write. */
function State({ collection, now, newer }: Pick<WriteProps, 'collection' | 'now' | 'newer'>) {
  const { history } = useMessages();
  const { values, unknown, isUncertain } = stateBefore(now, newer);
  const columns = collection.fields.filter(({ name }) => Object.hasOwn(values, name) || unknown.has(name));
  return (
    <>
      {isUncertain && <p className={look.small}>{history.uncertain}</p>}
      <dl className={styles['state']}>
        {columns.map(({ name }) => [
          <dt key={`${name} name`}>
            <bdi>{name}</bdi>
          </dt>,
          <dd key={name}>
            {unknown.has(name) ? history.unknown : <PastValue collection={collection} name={name} values={values} />}
          </dd>,
        ])}
      </dl>
    </>
  );
}

/** Takes a write back after a second press, or says what keeps it from that. */
function Undo({ agent, collection, id, write }: Pick<WriteProps, 'agent' | 'collection' | 'id' | 'write'>) {
  const messages = useMessages();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const undoButton = useFocusBack(isAsking);
  const isDeletion = write.action === 'delete';
  const undoing = useMutation({
    mutationFn: () =>
      askAgent(
        agent,
        ['_internal', 'history', collection.name, id, 'undo'],
        {},
        { method: 'POST', body: { data: { attributes: { sequence: write.sequence, acceptsLoss: isDeletion } } } },
      ),
    onSuccess: async () => {
      toast(messages.undone);
      await client.invalidateQueries({ queryKey: ['record', agent.environment, collection.name] });
      await client.invalidateQueries({ queryKey: ['rows', agent.environment, collection.name] });
    },
    onSettled: () => setAsking(false),
  });
  return (
    <>
      {isAsking ? (
        <>
          {isDeletion && <span>{messages.history.loss}</span>}
          <Button autoFocus look="danger" disabled={undoing.isPending} onClick={() => undoing.mutate()}>
            {messages.history.undoNow}
          </Button>
          <Button onClick={() => setAsking(false)}>{messages.cancel}</Button>
        </>
      ) : (
        <Button ref={undoButton} onClick={() => setAsking(true)}>
          {messages.undo}
        </Button>
      )}
      {undoing.error && <p role="alert">{whyNot(undoing.error, messages)}</p>}
    </>
  );
}

function whyNot(error: Error, messages: ReturnType<typeof useMessages>): string {
  const conflicts = error instanceof RequestFailed ? Object.entries((error.data['fields'] ?? {}) as Conflict) : [];
  const told = conflicts.map(([name, { seen, now }]) =>
    messages.undoConflict(name, JSON.stringify(seen ?? null), JSON.stringify(now ?? null)),
  );
  return messages.undoRefused(told.length > 0 ? told.join(' ') : error.message);
}
