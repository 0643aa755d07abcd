import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Button, Failure, look } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { nothingSelected, type Selection, sizeOf } from '../grid/selection.ts';
import { type RowSource, type Rows, rowsKey } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import type { Column, VisibleCollection } from '../model/schema.ts';
import { asTable, chosenRows } from './copied-table.ts';

const ActionMenu = lazy(async () => ({ default: (await import('../action/action-menu.tsx')).ActionMenu }));
const DeleteDialog = lazy(async () => ({ default: (await import('../record/delete-dialog.tsx')).DeleteDialog }));

interface SelectionBarProps {
  readonly source: RowSource;
  readonly collection: VisibleCollection;
  /** Those of the list. */
  readonly columns: readonly Column[];
  readonly rows: Rows;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
}

/** What one does with the chosen records. "These" and "all that match" are two words, so that nobody takes one for the other. */
export function SelectionBar({ source, collection, columns, rows, selection, onSelect }: SelectionBarProps) {
  const messages = useMessages();
  const client = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const numbers = new Intl.NumberFormat(messages.code);
  const { agent, parameters } = source;
  const count = typeof rows.count === 'number' ? rows.count : rows.known;
  const size = sizeOf(selection, rows.count);
  const done = () => {
    onSelect(nothingSelected);
    void client.invalidateQueries({ queryKey: rowsKey(source) });
  };
  const copying = useMutation({
    mutationFn: async () => {
      const chosen = chosenRows(source, rows, selection, size);
      const table = chosen.then((found) => new Blob([asTable(found, columns)], { type: 'text/plain' }));
      // The browser lets a page write while the person's click is fresh, whenever the content comes.
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': table })]);
      return (await chosen).length;
    },
    onSuccess: (copied) => {
      const isWhole = size === undefined || copied === size;
      toast(isWhole ? messages.copiedRows(copied) : messages.copiedSome(numbers.format(copied), numbers.format(size)));
    },
  });
  // All that match are more than what somebody has read on the screen, as in a file.
  const mayCopy = selection.kind === 'these' || collection.rights.export;
  const loaded = new Set(rows.loaded.map(({ id }) => id));
  // Ticks of another search or another page are kept. Whoever does not see them has to know of them.
  const unseen = selection.kind === 'these' && !rows.isBehind ? selection.ids.difference(loaded).size : 0;
  const text =
    selection.kind === 'these'
      ? messages.these(selection.ids.size)
      : selection.without.size === 0
        ? messages.allMatching(numbers.format(count))
        : messages.allButSome(numbers.format(count), selection.without.size);
  return (
    <div className={look.row}>
      <strong>{text}</strong>
      {unseen > 0 && <span className={look.small}>{messages.notInSight(numbers.format(unseen))}</span>}
      {selection.kind === 'these' && (
        <Button onClick={() => onSelect({ kind: 'all', without: new Set() })}>
          {messages.selectAllMatching(numbers.format(count))}
        </Button>
      )}
      {mayCopy && (
        <Button disabled={copying.isPending} onClick={() => copying.mutate()}>
          {messages.copyAsTable}
        </Button>
      )}
      {copying.error && <Failure error={copying.error} />}
      <Suspense>
        <ActionMenu
          environment={agent.environment}
          collection={collection}
          scope="bulk"
          target={{ selection, query: parameters, size }}
          onDone={done}
        />
      </Suspense>
      {collection.rights.delete && !collection.isReadOnly && (
        <Button look="danger" onClick={() => setDeleting(true)}>
          {messages.delete}
        </Button>
      )}
      <Button look="quiet" onClick={() => onSelect(nothingSelected)}>
        {messages.clearSelection}
      </Button>
      {isDeleting && (
        <Suspense>
          <DeleteDialog
            agent={agent}
            collection={collection}
            target={{ selection, query: parameters, size }}
            onDone={done}
            onClose={() => setDeleting(false)}
          />
        </Suspense>
      )}
    </div>
  );
}
