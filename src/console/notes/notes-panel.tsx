import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { createElement, type MouseEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { NoteForPerson } from '#contracts/notes';
import { Button, Failure, Input, look } from '../design/controls.tsx';
import { useFocusBack } from '../design/focus.ts';
import { useMessages } from '../messages/index.ts';
import { meQuery } from '../model/me.ts';
import { doWithNote, type NoteDeed, type NotedRecord, noteCountQuery, recordNotesQuery } from '../model/notes.ts';
import { Time } from '../values/time.tsx';
import { NoteEditor } from './note-editor.tsx';
import { type NoteNode, parseContent } from './note-html.ts';
import styles from './notes.module.css';

/** The notes on a record: how many there are, and on demand what people wrote. Whoever sees them here has read them. */
export function NotesPanel({ record }: { readonly record: NotedRecord }) {
  const { notes } = useMessages();
  const hash = useLocation({ select: (location) => location.hash });
  const [isOpen, setOpen] = useState(hash.startsWith('note-'));
  const [isAsked, setAsked] = useState(false);
  const [isShown, setShown] = useState(false);
  const panel = useRef<HTMLElement>(null);
  const count = useQuery(noteCountQuery(record));
  const toggle = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    setOpen(!isOpen);
    setAsked(!isOpen);
    setShown(false);
    // A key opens the panel from anywhere: what one writes in is one Tab away then.
    currentTarget.focus();
  };
  // Once the notes are there: before, the panel has no room to come into sight with.
  const show = useCallback(() => setShown(true), []);
  useEffect(() => (isAsked && isShown && panel.current ? keepInSight(panel.current) : undefined), [isAsked, isShown]);
  return (
    <section ref={panel} className={styles['panel']} aria-label={notes.title}>
      <h2>
        <button type="button" className={look.button} data-key="m" aria-expanded={isOpen} onClick={toggle}>
          {notes.title}
          {count.data && count.data.open > 0 && (
            <span className={look.small}>{notes.open(count.data.open, count.data.unread)}</span>
          )}
        </button>
      </h2>
      {!isOpen && count.error && <p className={look.small}>{count.error.message}</p>}
      {isOpen && <Notes record={record} target={hash} onShown={show} />}
    </section>
  );
}

const scrollKeys = /^(?:Arrow(?:Up|Down)|Page(?:Up|Down)|Home|End)$/;

/** Shows the panel, also while lists above it come and grow, until the person scrolls. Returns what ends it. */
function keepInSight(panel: HTMLElement): () => void {
  const observer = new ResizeObserver(() => panel.scrollIntoView({ block: 'start' }));
  const above = [...(panel.parentElement?.children ?? [])].filter((part) => part !== panel);
  for (const part of above) observer.observe(part);
  const listening = new AbortController();
  const { signal } = listening;
  const end = () => {
    observer.disconnect();
    listening.abort();
  };
  for (const name of ['wheel', 'touchmove']) addEventListener(name, end, { signal, passive: true });
  addEventListener(
    'keydown',
    ({ key, target }) => {
      const isTyping = target instanceof Element && target.matches('input, textarea, select, [contenteditable="true"]');
      if (!isTyping && scrollKeys.test(key)) end();
    },
    { signal },
  );
  // The bar of what scrolls belongs to that element itself.
  addEventListener('pointerdown', ({ target }) => target === panel.closest('main') && end(), { signal });
  return end;
}

interface NotesProps {
  readonly record: NotedRecord;
  readonly target: string;
  /** Called when there is something to see. */
  readonly onShown: () => void;
}

function Notes({ record, target, onShown }: NotesProps) {
  const messages = useMessages();
  const { notes } = messages;
  const mayWrite = useMayWrite();
  const [isWriting, setWriting] = useState(false);
  const beginButton = useFocusBack(isWriting);
  const pages = useInfiniteQuery(recordNotesQuery(record));
  const act = useNoteDeeds(record);
  const all = pages.data?.pages.flatMap((page) => page.notes) ?? [];
  const reading = useReading(record, all);
  const { isPending } = pages;
  useEffect(() => {
    if (!isPending) onShown();
  }, [isPending, onShown]);
  return (
    <>
      {pages.error && <Failure error={pages.error} onRetry={() => void pages.refetch()} />}
      {reading.error && <Failure error={reading.error} />}
      {pages.isPending && <p className={look.late}>{messages.loading}</p>}
      {pages.data && all.length === 0 && <p className={look.small}>{notes.none}</p>}
      {!mayWrite ? null : isWriting ? (
        <NoteEditor
          record={record}
          label={notes.begin}
          hasTitle
          onSend={(written) => act({ kind: 'begin', ...written })}
          onClose={() => setWriting(false)}
        />
      ) : (
        <Button ref={beginButton} onClick={() => setWriting(true)}>
          {notes.begin}
        </Button>
      )}
      {all.map((note) => (
        <Thread key={note.id} record={record} note={note} isTarget={target === `note-${note.id}`} onDo={act} />
      ))}
      {pages.hasNextPage && (
        <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {notes.older}
        </Button>
      )}
    </>
  );
}

/** Whoever sees the console as somebody else writes nothing. */
function useMayWrite(): boolean {
  const { data: person } = useQuery(meQuery);
  return !person?.impersonation;
}

/** Do something with a note of the record. Every screen about notes asks again, whatever the answer was. */
function useNoteDeeds(record: NotedRecord): (deed: NoteDeed) => Promise<void> {
  const client = useQueryClient();
  return async (deed) => {
    try {
      await doWithNote(record, deed);
    } finally {
      await client.invalidateQueries({ queryKey: ['notes', record.agent.environment] });
    }
  };
}

/** Take down what the person has read: what is on a screen that they see. */
function useReading(record: NotedRecord, notes: readonly NoteForPerson[]): { readonly error: Error | null } {
  const act = useNoteDeeds(record);
  const { mutate, error } = useMutation({
    mutationFn: async (deeds: readonly NoteDeed[]) => {
      for (const deed of deeds) await act(deed);
    },
  });
  const fresh = notes.flatMap(({ id: note, readTo, messages }): readonly NoteDeed[] => {
    const number = messages.at(-1)?.number ?? 0;
    return readTo !== null && readTo < number ? [{ kind: 'read', note, number }] : [];
  });
  const unread = JSON.stringify(fresh);
  useEffect(() => {
    const deeds = JSON.parse(unread) as readonly NoteDeed[];
    const read = () => {
      if (document.visibilityState === 'visible' && deeds.length > 0) mutate(deeds);
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [mutate, unread]);
  return { error };
}

interface ThreadProps {
  readonly record: NotedRecord;
  readonly note: NoteForPerson;
  /** Whether a link has led here. */
  readonly isTarget: boolean;
  readonly onDo: (deed: NoteDeed) => Promise<void>;
}

function Thread({ record, note, isTarget, onDo }: ThreadProps) {
  const { notes } = useMessages();
  const mayWrite = useMayWrite();
  const [isReplying, setReplying] = useState(false);
  const [isRenaming, setRenaming] = useState(false);
  const replyButton = useFocusBack(isReplying);
  const renameButton = useFocusBack(isRenaming);
  // What was new when the note came to the screen stays marked while it is there.
  const [readTo] = useState(note.readTo);
  const thread = useRef<HTMLElement>(null);
  const { id, title, messages, archivedAt, revision, mayChange } = note;
  const isArchived = archivedAt !== null;
  const changing = useMutation({ mutationFn: onDo });
  const { data: person } = useQuery(meQuery);
  useEffect(() => {
    if (isTarget) thread.current?.scrollIntoView({ block: 'center' });
  }, [isTarget]);
  return (
    <article ref={thread} className={styles['thread']} aria-label={title} data-archived={isArchived || undefined}>
      {isRenaming ? (
        <Rename
          note={note}
          onRename={(next) => onDo({ kind: 'edit', note: id, revision, title: next })}
          onClose={() => setRenaming(false)}
        />
      ) : (
        <h3>
          <bdi>{title}</bdi> {isArchived && <span className={look.small}>{notes.archived}</span>}
        </h3>
      )}
      <ol className={styles['messages']}>
        {messages.map(({ number, content, createdAt, user }) => (
          <li key={number}>
            <span className={look.small}>
              <bdi>{user.name}</bdi> · <Time at={createdAt} />
              {readTo !== null && number > readTo && user.id !== person?.user.id && <strong> · {notes.isNew}</strong>}
            </span>
            <div className={styles['content']}>{parseContent(content).map(rendered)}</div>
          </li>
        ))}
      </ol>
      {changing.error && <Failure error={changing.error} />}
      {isReplying && (
        <NoteEditor
          record={record}
          note={id}
          label={notes.reply}
          onSend={({ content, key }) => onDo({ kind: 'reply', note: id, content, key })}
          onClose={() => setReplying(false)}
        />
      )}
      <div className={look.row}>
        {mayWrite && !isArchived && !isReplying && (
          <Button ref={replyButton} onClick={() => setReplying(true)}>
            {notes.reply}
          </Button>
        )}
        {mayWrite && mayChange && !isRenaming && (
          <Button ref={renameButton} onClick={() => setRenaming(true)}>
            {notes.rename}
          </Button>
        )}
        {mayWrite && mayChange && (
          <Button
            disabled={changing.isPending}
            onClick={() => changing.mutate({ kind: 'edit', note: id, revision, archived: !isArchived })}
          >
            {isArchived ? notes.unarchive : notes.archive}
          </Button>
        )}
      </div>
    </article>
  );
}

interface RenameProps {
  readonly note: NoteForPerson;
  readonly onRename: (title: string) => Promise<void>;
  readonly onClose: () => void;
}

function Rename({ note, onRename, onClose }: RenameProps) {
  const messages = useMessages();
  const [title, setTitle] = useState(note.title);
  const renaming = useMutation({ mutationFn: onRename, onSuccess: onClose });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        renaming.mutate(title);
      }}
    >
      {renaming.error && <Failure error={renaming.error} />}
      <div className={look.row}>
        <span className={look.wide}>
          <Input
            autoFocus
            required
            aria-label={messages.notes.noteTitle}
            maxLength={255}
            value={title}
            onChange={({ target }) => setTitle(target.value)}
          />
        </span>
        <Button type="submit" disabled={title.trim() === '' || renaming.isPending}>
          {messages.save}
        </Button>
        <Button onClick={onClose}>{messages.cancel}</Button>
      </div>
    </form>
  );
}

/** A piece of a message as an element of the page. Nothing of a message is ever read as HTML by the browser. */
function rendered(node: NoteNode, index: number): ReactNode {
  if (typeof node === 'string') return node;
  const { name, href, children } = node;
  const inner = children.map(rendered);
  if (name === 'br') return <br key={index} />;
  if (name === 'mention') {
    return (
      <strong key={index} className={styles['mention']}>
        {inner}
      </strong>
    );
  }
  if (name !== 'a') return createElement(name, { key: index }, ...inner);
  if (href === undefined) return <span key={index}>{inner}</span>;
  return (
    <a key={index} href={href} target="_blank" rel="noopener noreferrer">
      {inner}
    </a>
  );
}
