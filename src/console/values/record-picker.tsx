import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Button, Dialog, Failure, Input, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, mayAdd, type VisibleRelation } from '../model/schema.ts';
import type { AgentAddress } from '../wire/agent.ts';
import { listRecords, noId, projection, type RelatedRow } from '../wire/records.ts';
import { titleOf } from './value.tsx';

const shownRecords = '30';

interface RecordPickerProps {
  readonly agent: AgentAddress;
  readonly relation: Pick<VisibleRelation, 'name' | 'collection' | 'title'>;
  readonly chosen: RelatedRow | null;
  readonly onChoose: (record: RelatedRow) => void;
  /** Opens a form for a record that is not there yet; absent where none can be made. */
  readonly onNew?: (() => void) | undefined;
}

/** Chooses the record that a relation leads to. The server searches; no list is ever loaded whole. */
export function RecordPicker({ agent, relation, chosen, onChoose, onNew }: RecordPickerProps) {
  const messages = useMessages();
  const [isOpen, setOpen] = useState(false);
  const text = `${chosen ? titleOf(chosen, relation.title) : messages.nothingChosen} ▾`;
  return (
    <>
      <Button aria-haspopup="dialog" aria-label={`${relation.name}: ${text}`} onClick={() => setOpen(true)}>
        {text}
      </Button>
      {isOpen && (
        <PickerDialog
          agent={agent}
          relation={relation}
          onClose={() => setOpen(false)}
          onChoose={(record) => {
            onChoose(record);
            setOpen(false);
          }}
          onNew={
            onNew &&
            (() => {
              setOpen(false);
              onNew();
            })
          }
        />
      )}
    </>
  );
}

interface PickerDialogProps extends Omit<RecordPickerProps, 'chosen'> {
  /** Chooses no record; absent where one has to be chosen. */
  readonly onNone?: (() => void) | undefined;
  readonly onClose: () => void;
}

export function PickerDialog({ agent, relation, onChoose, onNew, onNone, onClose }: PickerDialogProps) {
  const messages = useMessages();
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const { collection, title } = relation;
  const schema = useQuery(collectionQuery(agent, collection));
  const paths = [...new Set([...(schema.data?.primaryKey ?? []), title])];
  const found = useQuery({
    queryKey: ['rows', agent.environment, collection, 'picker', search],
    enabled: schema.data !== undefined,
    queryFn: ({ signal }) =>
      listRecords(
        agent,
        [collection],
        { search: search || undefined, 'page[size]': shownRecords },
        { signal, headers: projection(paths) },
      ),
    placeholderData: (before) => before,
  });
  const error = schema.error ?? found.error;
  return (
    <Dialog title={messages.chooseRecord(collection)} onClose={onClose} isAtSide>
      <Input
        type="search"
        autoFocus
        aria-label={messages.search}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {error && <Failure error={error} />}
      <ul>
        {found.data?.rows.map((row, index) => (
          <li key={row.id === noId ? index : row.id}>
            <button
              type="button"
              className={look.choice}
              disabled={row.id === noId}
              title={row.id === noId ? messages.hasNoKey(collection) : undefined}
              onClick={() => onChoose({ ...row, collection })}
            >
              <bdi>{titleOf(row, title)}</bdi> <span className={look.small}>{row.id}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.data?.rows.length === 0 && <p>{messages.noMatch}</p>}
      {onNone && (
        <div>
          <Button onClick={onNone}>{messages.chooseNone}</Button>
        </div>
      )}
      {onNew && schema.data && mayAdd(schema.data) && (
        <div>
          <Button onClick={onNew}>{messages.newOf(collection)}</Button>
        </div>
      )}
    </Dialog>
  );
}
