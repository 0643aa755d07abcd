import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button, Notice } from '../design/controls.tsx';
import { useStable } from '../design/use-stable.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection, VisibleRelation } from '../model/schema.ts';
import { emptyDraft, withLink } from '../record/form-state.ts';
import { OutcomeNotice, type OutcomeNoticeProps, SavingNote } from '../record/outcome-notice.tsx';
import { useRecordWriter } from '../record/write-record.ts';
import { PickerDialog } from '../values/record-picker.tsx';
import type { AgentAddress } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import type { RelatedRow, Row } from '../wire/records.ts';
import styles from './list.module.css';

interface RelationCellProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly row: Row;
  readonly relation: VisibleRelation;
  readonly onEnd: () => void;
}

/** Chooses the record that a relation leads to. It is saved at once; without a choice everything stays as it was. */
export function RelationCell({ agent, collection, row, relation, onEnd }: RelationCellProps) {
  const messages = useMessages();
  const { name, keys, isRequired } = relation;
  const place = useRef<HTMLFormElement>(null);
  const [isChoosing, setChoosing] = useState(true);
  /** While the dialog is open, nothing below it takes the focus: the cell ends when the dialog is gone. */
  const [isLeft, setLeft] = useState(false);
  const end = useStable(onEnd);
  useEffect(() => {
    if (isLeft) end();
  }, [isLeft, end]);
  const [draft, setDraft] = useState(emptyDraft);
  const writer = useRecordWriter({ agent, collection, row }, onEnd);
  const choose = async (record: RelatedRow | null) => {
    setChoosing(false);
    if (record?.id === own(row.related, name)?.id) return setLeft(true);
    const next = withLink(emptyDraft, name, record);
    setDraft(next);
    await writer.save(next);
  };
  const problems = writer.problemsOf(draft);
  const problem = [name, ...keys].map((key) => own(problems, key)).find((text) => text !== undefined);
  const mayChooseAgain = !writer.isSaving && writer.unknown === undefined;
  const isSaid = problem !== undefined || writer.error !== undefined || writer.unknown !== undefined;
  useEffect(() => {
    if (isSaid && !writer.isSaving) place.current?.querySelector<HTMLElement>('button:enabled')?.focus();
  }, [isSaid, writer.isSaving]);
  /** React passes on the keys of the dialog too, and none of them is one of the list. */
  const hear = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape' && !isChoosing) onEnd();
  };
  return (
    <form
      ref={place}
      className={styles['editor']}
      aria-label={name}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={hear}
      onClick={(event) => event.stopPropagation()}
    >
      {isChoosing && !isLeft ? (
        <PickerDialog
          agent={agent}
          relation={relation}
          onChoose={(record) => void choose(record)}
          onNone={isRequired ? undefined : () => void choose(null)}
          onClose={() => setLeft(true)}
        />
      ) : (
        <Button disabled={!mayChooseAgain} onClick={() => setChoosing(true)}>
          {messages.chooseRecord(relation.collection)}
        </Button>
      )}
      <CellOutcome problem={problem} writer={writer} collection={collection} draft={draft} />
    </form>
  );
}

/** What came of the write of a cell, below its value. */
export function CellOutcome({ problem, ...outcome }: OutcomeNoticeProps & { readonly problem: string | undefined }) {
  return (
    <>
      {problem === undefined ? <OutcomeNotice {...outcome} /> : <Notice title={problem} />}
      <SavingNote isSaving={outcome.writer.isSaving} />
    </>
  );
}
