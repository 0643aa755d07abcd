import { useQueryClient } from '@tanstack/react-query';
import { type Dispatch, lazy, type SetStateAction, Suspense } from 'react';
import { Button, look } from '../design/first-controls.tsx';
import { toast } from '../design/toasts.tsx';
import { type ListChanges, NewerRows } from '../grid/newer-rows.tsx';
import { isNothing, type Selection, withoutThese } from '../grid/selection.ts';
import { countKey, type RowSource, type Rows } from '../grid/use-rows.ts';
import { useFirstMessages } from '../messages/index.ts';
import type { Column, VisibleCollection } from '../model/schema.ts';
import { OwnRights } from '../rights/own-rights.tsx';
import styles from './list.module.css';

const SelectionBar = lazy(async () => ({ default: (await import('./selection-bar.tsx')).SelectionBar }));

interface ListFootProps {
  readonly source: RowSource;
  readonly collection: VisibleCollection;
  readonly columns: readonly Column[];
  readonly rows: Rows;
  readonly selection: Selection;
  readonly changes: ListChanges;
  readonly onSelect: Dispatch<SetStateAction<Selection>>;
  readonly onReread: () => void;
}

/** How many records there are, what has changed since, and what one does with the chosen ones. */
export function ListFoot({ source, collection, columns, rows, selection, changes, onSelect, onReread }: ListFootProps) {
  const messages = useFirstMessages();
  const take = async () => {
    if (selection.kind === 'these' && !isNothing(selection)) {
      // What was seen last can be older than the newest change, and the list is about to be read anew.
      const gone = await changes.look();
      const lost = selection.ids.intersection(gone).size;
      onSelect((now) => withoutThese(now, gone));
      if (lost > 0) toast(messages.selectedGone(lost));
    }
    onReread();
  };
  return (
    <div className={styles['foot']}>
      <Count source={source} rows={rows} />
      <NewerRows changes={changes} onTake={() => void take()} />
      <OwnRights environment={source.agent.environment} collection={collection} />
      {!isNothing(selection) && (
        <Suspense>
          <SelectionBar {...{ source, collection, columns, rows, selection, onSelect }} />
        </Suspense>
      )}
    </div>
  );
}

/** The number of records, as soon as it is known. */
function Count({ source, rows }: Pick<ListFootProps, 'source' | 'rows'>) {
  const messages = useFirstMessages();
  const client = useQueryClient();
  const stop = async () => {
    await client.cancelQueries({ queryKey: countKey(source) });
    client.setQueryData(countKey(source), null);
  };
  const numbers = new Intl.NumberFormat(messages.code);
  const { count, known, isComplete } = rows;
  const text =
    typeof count === 'number'
      ? messages.records(count, numbers.format(count))
      : isComplete
        ? messages.records(known, numbers.format(known))
        : count === null
          ? messages.notCounted
          : messages.counting;
  return (
    <>
      <span className={look.small} role="status">
        {text}
      </span>
      {text === messages.counting && (
        <Button look="quiet" onClick={() => void stop()}>
          {messages.stopCounting}
        </Button>
      )}
    </>
  );
}
