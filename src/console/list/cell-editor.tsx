import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useMessages } from '../messages/index.ts';
import type { Column, VisibleCollection } from '../model/schema.ts';
import { draftSince, emptyDraft, isEmptyDraft, textOfField, withText } from '../record/form-state.ts';
import { useRecordWriter, type WrittenRecord } from '../record/write-record.ts';
import { ValueEditor } from '../values/editor.tsx';
import type { AgentAddress } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import type { Row } from '../wire/records.ts';
import styles from './list.module.css';
import { CellOutcome, RelationCell } from './relation-cell.tsx';

interface CellEditorProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly row: Row;
  readonly column: Column;
  readonly onEnd: () => void;
}

/** Changes what one cell has: a value, or the record that a relation leads to. */
export function CellEditor(props: CellEditorProps) {
  const { relation } = props.column;
  return relation ? <RelationCell {...props} relation={relation} /> : <ValueCell {...props} />;
}

/** Changes one value. Enter, Tab and leaving the cell save it, once; Escape leaves it as it was. */
function ValueCell({ agent, collection, row, column, onEnd }: CellEditorProps) {
  const messages = useMessages();
  const place = useRef<HTMLFormElement>(null);
  const isDone = useRef(false);
  const [draft, setDraft] = useState(emptyDraft);
  const isOver = useRef(false);
  /** What was typed while the answer was on its way stays. */
  const endOrGoOn = (_: WrittenRecord, sent = draft) => {
    const rest = draftSince(sent, draft);
    isOver.current = isEmptyDraft(rest);
    if (isOver.current) onEnd();
    else setDraft(rest);
  };
  const writer = useRecordWriter({ agent, collection, row }, endOrGoOn);
  const { field } = column;
  const isUnknown = writer.unknown !== undefined;
  // What says whether a write happened goes with the answer, and the value has the focus again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it looks again when the answer is there.
  useEffect(() => place.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), [isUnknown]);
  const problem = field && (own(writer.problemsOf(draft), field.name) ?? (writer.conflict && messages.conflict));
  /** Something is said below the value, with what can be done about it. */
  const isSaid = problem !== undefined || writer.error !== undefined || isUnknown;
  useEffect(() => {
    if (isSaid) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isSaid]);
  if (!field) return null;
  const save = async () => {
    // What may be written already is not sent again.
    if (isDone.current || isUnknown || writer.isSaving) return;
    isDone.current = true;
    if (!Object.hasOwn(draft.texts, field.name)) onEnd();
    else isDone.current = (await writer.save(draft)) && isOver.current;
  };
  /** React passes on what happens in a dialog that explains a refusal. */
  const isOwn = ({ currentTarget, target }: SyntheticEvent) => currentTarget.contains(target as Node);
  const hear = (event: KeyboardEvent) => {
    if (!isOwn(event)) return;
    // No key of a button below the value is one of the list.
    const isAtButton = event.target instanceof HTMLButtonElement;
    if (isAtButton) event.stopPropagation();
    if ((event.key === 'Tab' && isSaid) || (event.key === 'Enter' && isAtButton)) return;
    if (event.key === 'Escape') {
      isDone.current = true;
      onEnd();
    } else if (event.key === 'Tab' || (event.key === 'Enter' && !event.shiftKey)) void save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      ref={place}
      className={styles['editor']}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={hear}
      onBlur={(event) => {
        const isInside = place.current?.contains(event.relatedTarget) || event.relatedTarget?.closest('dialog');
        if (isOwn(event) && !isInside && !(event.target instanceof HTMLButtonElement)) void save();
      }}
    >
      <ValueEditor
        id={`cell ${field.name}`}
        label={field.name}
        type={field.type}
        isDuration={field.isDuration}
        enumValues={field.enumValues}
        text={textOfField(draft, field, row)}
        isNullable={field.isNullable}
        isInvalid={problem !== undefined || writer.error !== undefined}
        onChange={(text) => {
          isDone.current = false;
          setDraft(withText(draft, field, text, row));
        }}
      />
      <CellOutcome problem={problem} writer={writer} collection={collection} draft={draft} />
    </form>
  );
}
