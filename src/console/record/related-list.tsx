import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type CSSProperties, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Button, Failure, look } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useNarrow } from '../design/use-narrow.ts';
import { filtersOfRelated } from '../grid/filter-tree.ts';
import { Grid } from '../grid/grid.tsx';
import { listRequest } from '../grid/list-request.ts';
import { cardColumns, type ListState, listParameters, nextSort, shownColumns, sortsOf } from '../grid/list-state.ts';
import { NewerRows, useChanges } from '../grid/newer-rows.tsx';
import { pagesOf, whyNoPage } from '../grid/record-page.ts';
import { SortChoice } from '../grid/sort-choice.tsx';
import { type RowSource, rowsKey, useRows } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import {
  collectionQuery,
  mayAdd,
  projectionOf,
  type VisibleCollection,
  type VisibleRelation,
} from '../model/schema.ts';
import { useScreenRequest } from '../model/screen-requests.ts';
import type { AgentAddress } from '../wire/agent.ts';
import type { Row } from '../wire/records.ts';
import styles from './record.module.css';
import { NewRelated } from './record-form.tsx';

interface RelatedListProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly row: Row;
  readonly relation: VisibleRelation;
}

/** The records that a relation to many leads to, asked for when the list comes into sight. */
export function RelatedList(props: RelatedListProps) {
  const { name } = props.relation;
  const section = useRef<HTMLElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!section.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(section.current);
    return () => observer.disconnect();
  }, []);
  return (
    <section ref={section} className={styles['related']} data-seen={isSeen} aria-label={name}>
      {isSeen ? (
        <Suspense>
          <RelatedRows {...props} />
        </Suspense>
      ) : (
        <h2>
          <bdi>{name}</bdi>
        </h2>
      )}
    </section>
  );
}

const noWidths = {};
/** Rows of a related list that are in sight at once. */
const mostShown = 7;
const nobody: ReadonlySet<string> = new Set();

function RelatedRows({ agent, collection, row, relation }: RelatedListProps) {
  const messages = useMessages();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data: foreign } = useSuspenseQuery(collectionQuery(agent, relation.collection));
  const [sort, setSort] = useState<string>();
  const [isMaking, setMaking] = useState(false);
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 0]);
  const state = sort === undefined ? {} : { sort };
  // The way back leads to the record that is on the screen, in every row.
  const isNarrow = useNarrow();
  const columns = useMemo(() => {
    const shown = shownColumns(undefined, foreign).filter(({ name }) => name !== relation.inverse);
    return isNarrow ? cardColumns(shown, foreign, false) : shown;
  }, [foreign, relation.inverse, isNarrow]);
  const source: RowSource = {
    agent,
    collection: foreign.name,
    path: [collection.name, row.id, 'relationships', relation.name],
    parameters: listParameters(state, foreign),
    paths: projectionOf(foreign, columns),
  };
  const rows = useRows(source, first, last);
  useScreenRequest(listRequest(source));
  const changes = useChanges(source, foreign, rows, first, nobody);
  const reread = () => void client.invalidateQueries({ queryKey: rowsKey(source) });
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);
  const { environment } = agent;
  const known = rows.isFirstVisit ? 5 : rows.known;
  return (
    <>
      <RelatedHead
        {...{ agent, collection, row, relation, foreign, state }}
        count={rows.count}
        onSort={setSort}
        onNew={() => setMaking(true)}
      >
        <NewerRows changes={changes} onTake={reread} />
      </RelatedHead>
      {rows.error && <Failure error={rows.error} onRetry={reread} />}
      <div className={styles['rows']} style={shownRows(Math.min(known, mostShown) + 1)}>
        <Grid
          label={relation.name}
          columns={columns}
          widths={noWidths}
          count={known}
          at={rows.at}
          isBehind={rows.isBehind && !rows.isFirstVisit}
          sorts={sortsOf(state)}
          onSort={(path) => setSort(nextSort(state, path, false))}
          onResize={() => {}}
          onRange={onRange}
          isGone={(row) => changes.gone.has(row.id)}
          onOpen={({ id }) => {
            const params = { environment, collection: foreign.name, id };
            const reason = whyNoPage(foreign, id, messages);
            if (reason !== undefined) toast(reason);
            else void navigate({ to: '/$environment/data/$collection/$id', params });
          }}
          title={foreign.title}
          pages={pagesOf(environment, foreign)}
        />
      </div>
      {isMaking && (
        <NewRelated
          agent={agent}
          collection={collection}
          row={row}
          relation={relation}
          onClose={() => setMaking(false)}
        />
      )}
    </>
  );
}

interface RelatedHeadProps extends RelatedListProps {
  /** The collection of the records. */
  readonly foreign: VisibleCollection;
  readonly state: ListState;
  readonly count: number | null | undefined;
  readonly onSort: (sort: string | undefined) => void;
  readonly onNew: () => void;
  readonly children: ReactNode;
}

/** What the list is, and what one does with it as a whole. */
function RelatedHead(props: RelatedHeadProps) {
  const { agent, collection, row, relation, foreign, state, count, onSort, onNew, children } = props;
  const messages = useMessages();
  const isNarrow = useNarrow();
  const inverse = foreign.relations.find(({ name }) => name === relation.inverse);
  const filters = filtersOfRelated(collection, row.id, inverse);
  return (
    <div className={look.row}>
      <h2>
        <bdi>{relation.name}</bdi>{' '}
        {typeof count === 'number' && `(${new Intl.NumberFormat(messages.code).format(count)})`}
      </h2>
      {mayAdd(foreign) && !relation.isReadOnly && (
        <Button aria-label={messages.newOf(relation.name)} onClick={onNew}>
          {messages.newRecord}
        </Button>
      )}
      {filters !== undefined && (
        <Link
          className={look.button}
          aria-label={messages.openListOf(relation.name)}
          to="/$environment/data/$collection"
          params={{ environment: agent.environment, collection: foreign.name }}
          search={{ ...state, filters }}
        >
          {messages.openAsList}
        </Link>
      )}
      {isNarrow && <SortChoice collection={foreign} state={state} onChange={(next) => onSort(next.sort)} />}
      {children}
    </div>
  );
}

/** The height of a list, header included, as the style sheet takes it. */
function shownRows(count: number): CSSProperties {
  return { '--shown-rows': count } as CSSProperties;
}
