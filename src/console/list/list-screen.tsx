import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { Button, Empty, Failure, look } from '../design/controls.tsx';
import { Grid } from '../grid/grid.tsx';
import {
  type ChangeList,
  type ListState,
  listParameters,
  nextSort,
  shownColumns,
  sortsOf,
} from '../grid/list-state.ts';
import { isNothing, nothingSelected, type Selection } from '../grid/selection.ts';
import { type RowSource, type Rows, rowsKey, useRows } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import { noteList } from '../model/last-list.ts';
import { preferences, setPreferences, usePreferences } from '../model/preferences.ts';
import { collectionQuery, isEditable, projectionOf, type VisibleCollection } from '../model/schema.ts';
import { titleOf } from '../values/value.tsx';
import { own } from '../wire/own.ts';
import type { Row } from '../wire/records.ts';
import { FilterBar } from './filter-bar.tsx';
import styles from './list.module.css';
import { SelectionBar } from './selection-bar.tsx';
import { Toolbar } from './toolbar.tsx';

const CellEditor = lazy(async () => ({ default: (await import('./cell-editor.tsx')).CellEditor }));

/** The records of a collection. */
export function ListScreen() {
  const { environment, collection: name } = useParams({ from: '/$environment/data/$collection' });
  const { data: collection } = useSuspenseQuery(collectionQuery({ environment }, name));
  // Another collection begins with nothing chosen and at its first row.
  return <CollectionList key={`${environment} ${name}`} environment={environment} collection={collection} />;
}

interface CollectionListProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
}

function CollectionList({ environment, collection }: CollectionListProps) {
  const { name } = collection;
  const agent = { environment };
  const state = useListState(collection);
  const navigate = useNavigate();
  const [selection, setSelection] = useState<Selection>(nothingSelected);
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 0]);
  const { widths } = usePreferences();
  const columns = shownColumns(state, collection);
  const source: RowSource = {
    agent,
    collection: name,
    path: [name],
    parameters: listParameters(state, collection),
    paths: projectionOf(collection, columns),
  };
  const rows = useRows(source, first, last);
  const change = useChangeList(environment, name);
  const retry = useRetry(source);
  const open = (row: Row) => {
    noteList(
      name,
      rows.loaded.map(({ id }) => id),
    );
    void navigate({ to: '/$environment/data/$collection/$id', params: { environment, collection: name, id: row.id } });
  };
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);
  return (
    <>
      <Toolbar environment={environment} collection={collection} state={state} source={source} onChange={change} />
      <FilterBar collection={collection} state={state} onChange={change} />
      {rows.error && <Failure error={rows.error} onRetry={retry} />}
      {isEmpty(rows) ? (
        <EmptyList environment={environment} collection={collection} state={state} onChange={change} />
      ) : (
        <Grid
          label={name}
          columns={columns}
          widths={own(widths, name) ?? {}}
          count={rows.isFirstVisit ? 20 : rows.known}
          at={rows.at}
          isBehind={rows.isBehind && !rows.isFirstVisit}
          sorts={sortsOf(state)}
          selection={selection}
          onSelect={setSelection}
          onSort={(path, isAdded) => change({ sort: nextSort(state, path, isAdded) })}
          onResize={(column, width) => keepWidth(name, column, width)}
          onRange={onRange}
          onOpen={open}
          titleOf={(row) => titleOf(row, collection.title)}
          editor={(row, column, end) =>
            isEditable(collection, column) && (
              <Suspense>
                <CellEditor agent={agent} collection={collection} row={row} column={column} onEnd={end} />
              </Suspense>
            )
          }
        />
      )}
      <div className={styles['foot']}>
        <Count rows={rows} />
        {!isNothing(selection) && (
          <SelectionBar
            source={source}
            collection={collection}
            rows={rows}
            selection={selection}
            onSelect={setSelection}
          />
        )}
      </div>
    </>
  );
}

/** The state of the list: what the address says, and the columns that the person chose before. */
function useListState({ name }: VisibleCollection): ListState {
  const search = useSearch({ from: '/$environment/data/$collection' });
  const { columns } = usePreferences();
  const chosen = search.columns ?? own(columns, name);
  return chosen === undefined ? search : { ...search, columns: chosen };
}

/** Changes the address. Going back shows the list as it was. */
function useChangeList(environment: string, collection: string): ChangeList {
  const navigate = useNavigate();
  return (change) => {
    if (change.columns !== undefined) {
      setPreferences({ columns: { ...preferences().columns, [collection]: change.columns } });
    }
    void navigate({
      to: '/$environment/data/$collection',
      params: { environment, collection },
      search: (before: ListState) => ({ ...before, ...change }) as ListState,
    });
  };
}

function useRetry(source: RowSource): () => void {
  const client = useQueryClient();
  return () => void client.refetchQueries({ queryKey: rowsKey(source) });
}

function isEmpty({ isFirstVisit, isBehind, known, isComplete, error }: Rows): boolean {
  return !isFirstVisit && !isBehind && isComplete && known === 0 && error === null;
}

function keepWidth(collection: string, column: string, width: number): void {
  const { widths } = preferences();
  setPreferences({ widths: { ...widths, [collection]: { ...own(widths, collection), [column]: width } } });
}

/** The number of records, as soon as it is known. */
function Count({ rows }: { readonly rows: Rows }) {
  const messages = useMessages();
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
    <span className={look.small} role="status">
      {text}
    </span>
  );
}

interface EmptyListProps extends CollectionListProps {
  readonly state: ListState;
  readonly onChange: ChangeList;
}

/** Nothing matches, or nothing is there: two different things. */
function EmptyList({ environment, collection, state, onChange }: EmptyListProps) {
  const messages = useMessages();
  const navigate = useNavigate();
  const { name, rights, isReadOnly } = collection;
  if (state.search ?? state.filters ?? state.segment ?? state.deleted) {
    const clear = () => onChange({ search: undefined, filters: undefined, segment: undefined, deleted: undefined });
    return (
      <Empty title={messages.emptyByFilter} why={messages.emptyByFilterWhy}>
        <Button onClick={clear}>{messages.clearFilters}</Button>
      </Empty>
    );
  }
  const mayAdd = rights.add && !isReadOnly;
  const create = () =>
    void navigate({ to: '/$environment/new/$collection', params: { environment, collection: name } });
  return (
    <Empty title={messages.emptyCollection(name)} {...(mayAdd ? { why: messages.emptyCollectionWhy } : {})}>
      {mayAdd && (
        <Button look="primary" onClick={create}>
          {messages.newRecord}
        </Button>
      )}
    </Empty>
  );
}
