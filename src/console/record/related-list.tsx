import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Failure } from '../design/controls.tsx';
import { Grid } from '../grid/grid.tsx';
import { listRequest } from '../grid/list-request.ts';
import { listParameters, nextSort, shownColumns, sortsOf } from '../grid/list-state.ts';
import { type RowSource, useRows } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, projectionOf, type VisibleCollection, type VisibleRelation } from '../model/schema.ts';
import { useScreenRequest } from '../model/screen-requests.ts';
import { titleOf } from '../values/value.tsx';
import type { AgentAddress } from '../wire/agent.ts';
import styles from './record.module.css';

interface RelatedListProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly id: string;
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
    <section ref={section} className={styles['related']} aria-label={name}>
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

function RelatedRows({ agent, collection, id, relation }: RelatedListProps) {
  const messages = useMessages();
  const navigate = useNavigate();
  const { data: foreign } = useSuspenseQuery(collectionQuery(agent, relation.collection));
  const [sort, setSort] = useState<string>();
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 0]);
  const state = sort === undefined ? {} : { sort };
  const columns = shownColumns(state, foreign);
  const source: RowSource = {
    agent,
    collection: foreign.name,
    path: [collection.name, id, 'relationships', relation.name],
    parameters: listParameters(state, foreign),
    paths: projectionOf(foreign, columns),
  };
  const rows = useRows(source, first, last);
  useScreenRequest(listRequest(source));
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);
  const { environment } = agent;
  return (
    <>
      <h2>
        <bdi>{relation.name}</bdi>{' '}
        {typeof rows.count === 'number' && `(${new Intl.NumberFormat(messages.code).format(rows.count)})`}
      </h2>
      {rows.error && <Failure error={rows.error} />}
      <Grid
        label={relation.name}
        columns={columns}
        widths={{}}
        count={rows.isFirstVisit ? 5 : rows.known}
        at={rows.at}
        isBehind={rows.isBehind && !rows.isFirstVisit}
        sorts={sortsOf(state)}
        onSort={(path) => setSort(nextSort(state, path, false))}
        onResize={() => {}}
        onRange={onRange}
        onOpen={(row) =>
          void navigate({
            to: '/$environment/data/$collection/$id',
            params: { environment, collection: foreign.name, id: row.id },
          })
        }
        titleOf={(row) => titleOf(row, foreign.title)}
      />
    </>
  );
}
