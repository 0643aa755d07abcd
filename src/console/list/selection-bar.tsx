import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Button, look } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { isSelected, nothingSelected, type Selection, sizeOf } from '../grid/selection.ts';
import { type RowSource, type Rows, rowsKey } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import { columnsOf, type VisibleCollection } from '../model/schema.ts';
import { textOf } from '../values/text-of.ts';
import { zone } from '../wire/agent.ts';
import { own } from '../wire/own.ts';

const ActionMenu = lazy(async () => ({ default: (await import('../action/action-menu.tsx')).ActionMenu }));
const DeleteDialog = lazy(async () => ({ default: (await import('../record/delete-dialog.tsx')).DeleteDialog }));

interface SelectionBarProps {
  readonly source: RowSource;
  readonly collection: VisibleCollection;
  readonly rows: Rows;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
}

/** What one does with the chosen records. "These" and "all that match" are two words, so that nobody takes one for the other. */
export function SelectionBar({ source, collection, rows, selection, onSelect }: SelectionBarProps) {
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
  const copy = async () => {
    await navigator.clipboard.writeText(asTable(rows, collection, selection));
    toast(messages.copied);
  };
  const text =
    selection.kind === 'these'
      ? messages.these(selection.ids.size)
      : selection.without.size === 0
        ? messages.allMatching(numbers.format(count))
        : messages.allButSome(numbers.format(count), selection.without.size);
  return (
    <div className={look.row}>
      <strong>{text}</strong>
      {selection.kind === 'these' && (
        <Button onClick={() => onSelect({ kind: 'all', without: new Set() })}>
          {messages.selectAllMatching(numbers.format(count))}
        </Button>
      )}
      <Button onClick={() => void copy()}>{messages.copyAsTable}</Button>
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

/** The chosen rows that are loaded, with tabs between the cells: spreadsheets take it. */
function asTable({ loaded }: Rows, collection: VisibleCollection, selection: Selection): string {
  const columns = columnsOf(collection).filter(({ field }) => field);
  const lines = loaded
    .filter(({ id }) => isSelected(selection, id))
    .map(({ values }) => columns.map(({ name, field }) => cellOf(own(values, name), field?.type)).join('\t'));
  return [columns.map(({ name }) => name).join('\t'), ...lines].join('\n');
}

/** A spreadsheet takes a text that begins like a formula for one. An apostrophe keeps it a text. */
function cellOf(value: unknown, type: unknown): string {
  if (value === null || value === undefined || value === '') return '';
  const text = textOf(value, type, zone()).text.replace(/[\t\r\n]/g, ' ');
  return typeof value === 'string' && /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}
