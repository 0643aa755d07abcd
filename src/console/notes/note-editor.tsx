import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Mentionable } from '#contracts/notes';
import { Button, Buttons, Failure, Input, look } from '../design/controls.tsx';
import { useOnce } from '../design/use-stable.ts';
import { useMessages } from '../messages/index.ts';
import { meQuery } from '../model/me.ts';
import { mentionableQuery, type NotedRecord } from '../model/notes.ts';
import { contentOf, type Mention, mentionAt } from './note-html.ts';
import styles from './notes.module.css';

type Person = Mentionable['people'][number];

/** What is sent. A second attempt has the same key, so that nothing is written twice. */
interface WrittenNote {
  readonly title: string;
  readonly content: string;
  readonly key: string;
}

interface NoteEditorProps {
  readonly record: NotedRecord;
  /** The note that gets an answer; absent for a new one. */
  readonly note?: number;
  readonly label: string;
  /** A new note has a title. */
  readonly hasTitle?: boolean;
  readonly onSend: (written: WrittenNote) => Promise<void>;
  readonly onClose: () => void;
}

/** A plain text that becomes a message. `@` offers people who may read the record. */
export function NoteEditor({ record, note, label, hasTitle = false, onSend, onClose }: NoteEditorProps) {
  const messages = useMessages();
  const { notes } = messages;
  const place = usePlaceOfDraft(record, note);
  const [begun] = useState(() => readDraft(place));
  const [title, setTitle] = useState(begun.title);
  const typing = useMentions(record, begun);
  const { text, mentions } = typing;
  useEffect(() => keepDraft(place, { title, text, mentions }), [place, title, text, mentions]);
  const close = () => {
    keepDraft(place, emptyDraft);
    onClose();
  };
  const key = useRef({ content: '', value: '' });
  const sending = useMutation({
    mutationFn: async () => {
      const content = contentOf(text, mentions);
      const sent = `${title}\n${content}`;
      if (key.current.content !== sent) key.current = { content: sent, value: crypto.randomUUID() };
      await onSend({ title, content, key: key.current.value });
    },
    onSuccess: close,
  });
  const sendOnce = useOnce(() => sending.mutateAsync());
  const isReady = text.trim() !== '' && (!hasTitle || title.trim() !== '');
  return (
    <form
      className={styles['editor']}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) sendOnce();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !isReady) return;
        event.preventDefault();
        sendOnce();
      }}
    >
      {sending.error && <Failure error={sending.error} />}
      {hasTitle && (
        <Input
          autoFocus
          aria-label={notes.noteTitle}
          placeholder={notes.noteTitle}
          maxLength={255}
          value={title}
          onChange={({ target }) => setTitle(target.value)}
        />
      )}
      <MentionBox typing={typing} isFirst={!hasTitle} />
      <Buttons>
        <Button onClick={close}>{messages.cancel}</Button>
        <Button look="primary" type="submit" disabled={!isReady || sending.isPending}>
          {notes.send}
        </Button>
      </Buttons>
    </form>
  );
}

/** A note that is not sent yet. The tab of the browser keeps it, so that a reload does not lose it. */
interface NoteDraft {
  readonly title: string;
  readonly text: string;
  readonly mentions: readonly Mention[];
}

const emptyDraft: NoteDraft = { title: '', text: '', mentions: [] };

/** By person: whoever signs in after them in the same tab does not see it. */
function usePlaceOfDraft({ agent, collection, id }: NotedRecord, note: number | undefined): string {
  const { data: person } = useSuspenseQuery(meQuery);
  const { user, projectId } = person;
  return `vendor-cloud note ${JSON.stringify([user.id, projectId, agent.environment, collection, id, note ?? null])}`;
}

function readDraft(place: string): NoteDraft {
  const kept = sessionStorage.getItem(place);
  return kept === null ? emptyDraft : (JSON.parse(kept) as NoteDraft);
}

function keepDraft(place: string, draft: NoteDraft): void {
  if (draft.title === '' && draft.text === '') sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, JSON.stringify(draft));
}

type Typing = ReturnType<typeof useMentions>;

function useMentions(record: NotedRecord, begun: NoteDraft) {
  const [text, setText] = useState(begun.text);
  const [mentions, setMentions] = useState(begun.mentions);
  const [place, setPlace] = useState<number>();
  const [active, setActive] = useState(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const typed = place === undefined ? undefined : mentionAt(text, place);
  // Behind somebody who was chosen, the text goes on.
  const asked = mentions.some(({ label }) => typed?.search.startsWith(label)) ? undefined : typed;
  const { data: found = [] } = useQuery(mentionableQuery(record, asked?.search));
  const offered = asked ? found : [];
  const take = (person: Person | undefined) => {
    if (!person || !asked || place === undefined) return;
    const label = labelOf(person, found, mentions);
    const before = `${text.slice(0, asked.from)}@${label} `;
    flushSync(() => {
      setText(before + text.slice(place));
      setMentions([...mentions.filter((each) => each.label !== label), { label, id: person.id }]);
      setPlace(undefined);
    });
    box.current?.setSelectionRange(before.length, before.length);
  };
  const type = (next: string, at: number) => {
    setText(next);
    setPlace(at);
    setActive(0);
  };
  const hear = (event: KeyboardEvent) => {
    if (offered.length === 0 || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowDown') setActive((active + 1) % offered.length);
    else if (event.key === 'ArrowUp') setActive((active + offered.length - 1) % offered.length);
    else if (event.key === 'Enter' || event.key === 'Tab') take(offered[active]);
    else if (event.key === 'Escape') setPlace(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { box, text, mentions, offered, active, take, type, hear, close: () => setPlace(undefined) };
}

/** What stands for a person in the text. Two people of one name are told apart by their team. */
function labelOf({ id, name, team }: Person, others: readonly Person[], mentions: readonly Mention[]): string {
  const isShared =
    others.some((other) => other.id !== id && other.name === name) ||
    mentions.some((other) => other.id !== id && other.label === name);
  return isShared ? `${name} (${team} ${id})` : name;
}

function MentionBox({ typing, isFirst }: { readonly typing: Typing; readonly isFirst: boolean }) {
  const { notes } = useMessages();
  const id = useId();
  const { box, text, offered, active, take, type, hear, close } = typing;
  return (
    <div className={styles['box']}>
      <textarea
        ref={box}
        className={`${look.input} ${look.wide}`}
        // biome-ignore lint/a11y/noAutofocus: somebody has asked for this editor.
        autoFocus={isFirst}
        rows={4}
        maxLength={20_000}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={offered.length > 0 ? `${id}-${active}` : undefined}
        aria-label={notes.text}
        placeholder={notes.text}
        value={text}
        onKeyDown={hear}
        onBlur={close}
        onChange={({ target }) => type(target.value, target.selectionStart)}
      />
      <div
        role="listbox"
        id={id}
        tabIndex={-1}
        aria-label={notes.people}
        className={styles['people']}
        hidden={offered.length === 0}
        // The focus stays in the text.
        onMouseDown={(event) => event.preventDefault()}
      >
        {offered.map((person, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text hears the keys
          <div
            key={person.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={look.choice}
            onClick={() => take(person)}
          >
            <span>
              <bdi>{person.name}</bdi> <span className={look.small}>{person.team}</span>
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}
