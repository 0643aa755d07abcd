import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { Failure, look } from '../design/first-controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useNarrow } from '../design/use-narrow.ts';
import { Grid } from '../grid/grid.tsx';
import {
  type ChangeList,
  cardColumns,
  type ListState,
  listParameters,
  nextSort,
  shownColumns,
  sortsOf,
} from '../grid/list-state.ts';
import { useChanges } from '../grid/newer-rows.tsx';
import { pagesOf, whyNoPage } from '../grid/record-page.ts';
import { choosable } from '../grid/selection.ts';
import { useSelection } from '../grid/use-choice.ts';
import { filtersOf, type RowSource, type Rows, rowsKey, useRows } from '../grid/use-rows.ts';
import { usePastedTable } from '../import/pasted-table.ts';
import { useFirstMessages } from '../messages/index.ts';
import { noteCollection, noteList } from '../model/last-list.ts';
import { preferences, setPreferences, usePreferences } from '../model/preferences.ts';
import { type Column, collectionQuery, isEditable, projectionOf, type VisibleCollection } from '../model/schema.ts';
import { useScreenRequest } from '../model/screen-requests.ts';
import type { AgentAddress } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import { noId, type Row } from '../wire/records.ts';
import styles from './list.module.css';
import { ListFoot } from './list-foot.tsx';
import { Toolbar } from './toolbar.tsx';

const EmptyList = lazy(async () => ({ default: (await import('./empty-list.tsx')).EmptyList }));
const FilterBar = lazy(async () => ({ default: (await import('./filter-bar.tsx')).FilterBar }));
const loadCellEditor = async () => ({ default: (await import('./cell-editor.tsx')).CellEditor });
const CellEditor = lazy(loadCellEditor);

/** The editor of cells is there before somebody wants it. One that cannot be loaded says so then. */
const attendCells = () => void loadCellEditor().catch(() => undefined);

const nobody: ReadonlySet<string> = new Set();
const noWidths = {};
const skeletonRows = 20;
/** What comes sooner needs no skeleton, which flickers and costs as much as the rows. */
const patienceMs = 300;

/** The records of a collection. */
export function ListScreen() {
  const { environment, collection: name } = useParams({ from: '/$environment/data/$collection' });
  const { data: collection } = useSuspenseQuery(collectionQuery({ environment }, name));
  usePastedTable(environment, collection);
  useEffect(() => noteCollection(environment, name), [environment, name]);
  // Another collection begins with nothing chosen and at its first row.
  return <CollectionList key={`${environment} ${name}`} environment={environment} collection={collection} />;
}

interface CollectionListProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
}

function CollectionList({ environment, collection }: CollectionListProps) {
  const { name } = collection;
  const tellFixed = useTellFixed(name);
  const agent = { environment };
  const state = useListState(collection);
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 0]);
  const { widths } = usePreferences();
  const isNarrow = useNarrow();
  const columns = useMemo(() => {
    const shown = shownColumns(state.columns, collection);
    return isNarrow ? cardColumns(shown, collection, state.columns !== undefined) : shown;
  }, [state.columns, collection, isNarrow]);
  const source = sourceOf(agent, collection, state, columns);
  const [selection, setSelection] = useSelection(JSON.stringify(filtersOf(source)));
  const rows = useRows(source, first, last);
  const isLate = useLate(rows.isFirstVisit);
  useScreenRequest(async () => (await import('../grid/list-request.ts')).listRequest(source));
  const changes = useChanges(source, collection, rows, first, selection.kind === 'these' ? selection.ids : nobody);
  const change = useChangeList(environment, name);
  const reread = useReread(source);
  const open = useOpen(environment, collection, rows);
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);
  return (
    <>
      <Toolbar environment={environment} collection={collection} state={state} source={source} onChange={change} />
      {state.filters !== undefined && (
        <Suspense fallback={<div className={styles['pills']} />}>
          <FilterBar collection={collection} filters={state.filters} onChange={change} />
        </Suspense>
      )}
      {rows.error && <Failure error={rows.error} onRetry={reread} />}
      {isEmpty(rows) ? (
        <Suspense>
          <EmptyList environment={environment} collection={collection} state={state} onChange={change} />
        </Suspense>
      ) : (
        <Grid
          label={name}
          list={JSON.stringify(source.parameters)}
          columns={columns}
          widths={own(widths, name) ?? noWidths}
          count={rows.isFirstVisit ? (isLate ? skeletonRows : 0) : rows.known}
          at={rows.at}
          isBehind={rows.isBehind && !rows.isFirstVisit}
          sorts={sortsOf(state)}
          selection={selection}
          onSelect={setSelection}
          rows={rows}
          onSort={(path, isAdded) => change({ sort: nextSort(state, path, isAdded) })}
          onResize={(column, width) => keepWidth(name, column, width)}
          onRange={onRange}
          onOpen={open}
          title={collection.title}
          pages={pagesOf(environment, collection)}
          isGone={(row) => changes.gone.has(row.id)}
          onFocus={attendCells}
          onFixed={tellFixed}
          editor={editorOf(agent, collection)}
        />
      )}
      <ListFoot
        source={source}
        collection={collection}
        columns={columns}
        rows={rows}
        selection={selection}
        changes={changes}
        onSelect={setSelection}
        onReread={reread}
      />
    </>
  );
}

/** Says where a cell is changed that has no editor. */
function useTellFixed(collection: string) {
  const messages = useFirstMessages();
  return ({ id }: Row, { name }: Column) =>
    toast(id === noId ? messages.hasNoKey(collection) : messages.changedInRecord(name));
}

/** The editor of the cells that can be changed where they stand. */
function editorOf(agent: AgentAddress, collection: VisibleCollection) {
  return (row: Row, column: Column, end: () => void) =>
    row.id !== noId &&
    isEditable(collection, column) && (
      <Suspense fallback={<EditorOnItsWay label={column.name} />}>
        <CellEditor agent={agent} collection={collection} row={row} column={column} onEnd={end} />
      </Suspense>
    );
}

/** Keeps what somebody types from being taken for keys of the list while the editor of the cell is on its way. */
function EditorOnItsWay({ label }: { readonly label: string }) {
  // biome-ignore lint/a11y/noAutofocus: somebody has just asked for the editor.
  return <input className={`${look.input} ${styles['editor']}`} aria-label={label} readOnly autoFocus />;
}

/** Opens the page of a record, which has the records of this list as its neighbours. */
function useOpen(environment: string, collection: VisibleCollection, rows: Rows): (row: Row) => void {
  const messages = useFirstMessages();
  const navigate = useNavigate();
  const search = useSearch({ from: '/$environment/data/$collection' });
  const { name } = collection;
  return ({ id }) => {
    const reason = whyNoPage(collection, id, messages);
    if (reason !== undefined) return toast(reason);
    const shown = [...choosable(rows.loaded)];
    noteList(name, shown, { ...search });
    void navigate({ to: '/$environment/data/$collection/$id', params: { environment, collection: name, id } });
  };
}

/** Whether something is waited for, and has been for a while. */
function useLate(isWaiting: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = isWaiting ? setTimeout(() => setLate(true), patienceMs) : undefined;
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isWaiting]);
  return isLate;
}

function sourceOf(
  agent: AgentAddress,
  collection: VisibleCollection,
  state: ListState,
  columns: readonly Column[],
): RowSource {
  const { name } = collection;
  const paths = projectionOf(collection, columns);
  return { agent, collection: name, path: [name], parameters: listParameters(state, collection), paths };
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

function useReread(source: RowSource): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: rowsKey(source) });
}

function isEmpty({ isFirstVisit, isBehind, known, isComplete, error }: Rows): boolean {
  return !isFirstVisit && !isBehind && isComplete && known === 0 && error === null;
}

function keepWidth(collection: string, column: string, width: number): void {
  const { widths } = preferences();
  setPreferences({ widths: { ...widths, [collection]: { ...own(widths, collection), [column]: width } } });
}
