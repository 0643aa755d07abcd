import { Button, Failure, look, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { titleOf } from '../values/value.tsx';
import type { RecordWriter } from './write-record.ts';

interface OutcomeNoticeProps {
  readonly writer: RecordWriter;
  readonly collection: VisibleCollection;
}

/** What came of a write: why it was refused, or that nobody knows, and how to find out. */
export function OutcomeNotice({ writer, collection }: OutcomeNoticeProps) {
  const messages = useMessages();
  const { error, unknown, wasNotSaved } = writer;
  return (
    <>
      {error && <Failure error={error} />}
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
    </>
  );
}
