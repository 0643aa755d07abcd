import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { InboxNote } from '#contracts/notes';
import { Button, Empty, Failure, look, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { inboxQuery } from '../model/inbox.ts';
import { approvalsQuery } from '../model/known-approvals.ts';
import { doWithNote } from '../model/notes.ts';
import { Time } from '../values/time.tsx';
import styles from './notes.module.css';

/** What waits for the person: notes with news for them, and requests for approvals. */
export function InboxScreen() {
  const {
    notes: { inbox },
    screens,
  } = useMessages();
  const { environment } = useParams({ from: '/$environment/inbox' });
  const { data: notes } = useSuspenseQuery(inboxQuery({ environment }));
  const { data: approvals = [] } = useQuery(approvalsQuery({ environment }));
  const waiting = approvals.filter(({ mayDecide }) => mayDecide).length;
  const unread = notes.filter((note) => note.unread > 0);
  const earlier = notes.filter((note) => note.unread === 0);
  return (
    <>
      <Title>{screens.inbox}</Title>
      {waiting > 0 && (
        <p>
          <Link to="/$environment/approvals" params={{ environment }}>
            {inbox.approvals(String(waiting))}
          </Link>
        </p>
      )}
      {unread.length > 0 && <NoteList title={inbox.unread} environment={environment} notes={unread} />}
      {unread.length === 0 && waiting === 0 && <Empty title={inbox.none} why={inbox.noneWhy} />}
      {earlier.length > 0 && <NoteList title={inbox.earlier} environment={environment} notes={earlier} />}
    </>
  );
}

interface NoteListProps {
  readonly title: string;
  readonly environment: string;
  readonly notes: readonly InboxNote[];
}

function NoteList({ title, environment, notes }: NoteListProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className={look.list}>
        {notes.map((note) => (
          <Entry key={note.id} environment={environment} note={note} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ environment, note }: { readonly environment: string; readonly note: InboxNote }) {
  const { inbox } = useMessages().notes;
  const client = useQueryClient();
  const { id, title, collection, recordId, updatedAt, user, unread, isMentioned, last } = note;
  const reading = useMutation({
    mutationFn: () =>
      doWithNote({ agent: { environment }, collection, id: recordId }, { kind: 'read', note: id, number: last }),
    onSettled: () => client.invalidateQueries({ queryKey: ['notes', environment] }),
  });
  return (
    <li className={styles['entry']}>
      <Link
        to="/$environment/data/$collection/$id"
        params={{ environment, collection, id: recordId }}
        hash={`note-${id}`}
        className={styles['link']}
      >
        <bdi>{title}</bdi>{' '}
        <span className={look.small}>
          <bdi>{inbox.about(collection, recordId)}</bdi> · <bdi>{inbox.by(user.name)}</bdi> · <Time at={updatedAt} />
        </span>
      </Link>
      {isMentioned && <strong className={styles['mention']}>{inbox.mentioned}</strong>}
      {unread > 0 && (
        <>
          <span className={look.small}>{inbox.count(unread)}</span>
          <Button disabled={reading.isPending} onClick={() => reading.mutate()}>
            {inbox.markRead}
          </Button>
        </>
      )}
      {reading.error && <Failure error={reading.error} />}
    </li>
  );
}
