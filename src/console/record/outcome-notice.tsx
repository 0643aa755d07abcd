import { useEffect, useRef } from 'react';
import { Button, Failure, look, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { titleOf } from '../values/value.tsx';
import { RequestFailed } from '../wire/http.ts';
import type { Draft } from './form-state.ts';
import styles from './record.module.css';
import type { RecordWriter } from './write-record.ts';

export interface OutcomeNoticeProps {
  readonly writer: RecordWriter;
  readonly collection: VisibleCollection;
  readonly draft: Draft;
}

/** What came of a write, above its form: why it was refused, or that nobody knows, and how to find out. */
export function OutcomeNotice({ writer, collection, draft }: OutcomeNoticeProps) {
  const messages = useMessages();
  const place = useRef<HTMLDivElement>(null);
  const { error, unknown, wasNotSaved } = writer;
  const isSaid = error !== undefined || unknown !== undefined || wasNotSaved;
  useEffect(() => {
    if (isSaid) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isSaid]);
  const copy = async () => {
    await navigator.clipboard.writeText(JSON.stringify(draft.texts, null, 2));
    toast(messages.copied);
  };
  /** The right or the record was taken away meanwhile: nothing that is typed here can be saved any more. */
  const isInVain = error instanceof RequestFailed && (error.status === 403 || error.status === 404);
  return (
    <div ref={place} className={styles['outcome']}>
      {error && <Failure error={error} />}
      {isInVain && (
        <div>
          <Button onClick={() => void copy()}>{messages.copyTyped}</Button>
        </div>
      )}
      {wasNotSaved && <Notice kind="warning" title={messages.wasNotSaved} />}
      {unknown && !unknown.candidates && (
        <Notice kind="warning" title={messages.saveUnknown}>
          <div>
            <Button onClick={() => void unknown.check()}>{messages.findOut}</Button>
          </div>
        </Notice>
      )}
      {unknown?.candidates && (
        <Notice kind="warning" title={messages.candidates}>
          {unknown.candidates.map((row) => (
            <div key={row.id} className={look.row}>
              <bdi>{titleOf(row, collection.title)}</bdi> <span className={look.small}>{row.id}</span>
              <Button onClick={() => unknown.accept(row)}>{messages.thatIsIt}</Button>
            </div>
          ))}
          <div>
            <Button onClick={writer.forget}>{messages.noneOfThese}</Button>
          </div>
        </Notice>
      )}
    </div>
  );
}

/** Says that a write takes long. */
export function SavingNote({ isSaving }: { readonly isSaving: boolean }) {
  const { saving } = useMessages();
  return <span role="status">{isSaving && <span className={styles['saving']}>{saving}</span>}</span>;
}
