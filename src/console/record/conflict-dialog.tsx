import { useState } from 'react';
import { Button, Buttons, Dialog } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { Value } from '../values/value.tsx';
import { own } from '../wire/own.ts';
import type { Draft } from './form-state.ts';
import type { Conflict } from './outcome.ts';
import styles from './record.module.css';

interface ConflictDialogProps {
  readonly collection: VisibleCollection;
  readonly conflict: Conflict;
  readonly draft: Draft;
  /** Gets the draft without the fields for which the person takes the newer value. */
  readonly onSettle: (draft: Draft) => void;
  readonly onClose: () => void;
}

/** Somebody else wrote first: both values of each field, and the choice. */
export function ConflictDialog({ collection, conflict, draft, onSettle, onClose }: ConflictDialogProps) {
  const messages = useMessages();
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const settle = () => {
    const mine = <Part,>(all: Readonly<Record<string, Part>>) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !theirs.has(name)));
    onSettle({ texts: mine(draft.texts), links: mine(draft.links) });
  };
  const turn = (name: string) => setTheirs(theirs.has(name) ? without(theirs, name) : new Set([...theirs, name]));
  return (
    <Dialog title={messages.conflict} onClose={onClose}>
      <p>{messages.conflictWhy}</p>
      <div className={styles['conflict']}>
        <strong>{messages.field}</strong>
        <strong>{messages.yours}</strong>
        <strong>{messages.theirs}</strong>
        <span />
        {Object.entries(conflict).map(([name, { now }]) => (
          <ConflictRow
            key={name}
            name={name}
            mine={own(draft.texts, name) ?? own(draft.links, name)?.id ?? null}
            now={now}
            type={collection.fields.find((field) => field.name === name)?.type}
            isTheirs={theirs.has(name)}
            onTurn={() => turn(name)}
          />
        ))}
      </div>
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        <Button look="primary" onClick={settle}>
          {messages.apply}
        </Button>
      </Buttons>
    </Dialog>
  );
}

interface ConflictRowProps {
  readonly name: string;
  readonly mine: string | null;
  readonly now: unknown;
  readonly type: unknown;
  readonly isTheirs: boolean;
  readonly onTurn: () => void;
}

function ConflictRow({ name, mine, now, type, isTheirs, onTurn }: ConflictRowProps) {
  const messages = useMessages();
  return (
    <>
      <bdi>{name}</bdi>
      <span>
        <Value value={mine} type="String" />
      </span>
      <span>
        <Value value={now} type={type} />
      </span>
      <Button aria-pressed={isTheirs} onClick={onTurn}>
        {isTheirs ? messages.keepMine : messages.takeTheirs}
      </Button>
    </>
  );
}

function without(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set([...names].filter((one) => one !== name));
}
