import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { RecordChart } from '#contracts/dashboards';
import type { PermissionFile } from '#contracts/permission-file';
import { Button, Empty, Failure, look, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { mayReadRights, maySetRights, meQuery } from '../model/me.ts';
import { rightsQuery } from '../model/rights.ts';
import { listedChartsQuery, schemaQuery } from '../model/schema.ts';
import type { ChangedChart } from '../rights/change-charts.tsx';
import { recordChartFrom } from '../rights/chart-draft.ts';
import { type Chart, chartsIn } from '../rights/team-draft.ts';
import styles from './chart.module.css';
import { ChartView } from './chart-view.tsx';
import { RecordChartView } from './record-chart-view.tsx';

const ChangeCharts = lazy(async () => ({ default: (await import('../rights/change-charts.tsx')).ChangeCharts }));

/** The charts that belong to no record, the way to dashboards, and the way to another chart. */
export function ChartsScreen() {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment/charts' });
  const { data: schema } = useSuspenseQuery(schemaQuery({ environment }));
  const { data: person } = useSuspenseQuery(meQuery);
  const [changing, setChanging] = useState<ChangedChart | 'new'>();
  const { listed, error, isPending, retry } = useListedCharts(environment);
  const maySet = maySetRights(person);
  // Nobody knows that there are none before the answer.
  const isEmpty = schema.charts.length + listed.length === 0 && !isPending && error === null;
  const add = maySet && <Button onClick={() => setChanging('new')}>{messages.rights.addChart}</Button>;
  return (
    <>
      <div className={look.head}>
        <Title>{messages.charts}</Title>
        {!isEmpty && add}
      </div>
      {schema.dashboards.length > 0 && (
        <ul aria-label={messages.dashboards} className={look.row}>
          {schema.dashboards.map(({ name, title }) => (
            <li key={name}>
              <Link to="/$environment/dashboards/$dashboard" params={{ environment, dashboard: name }}>
                <bdi>{title}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {error && <Failure error={error} onRetry={retry} />}
      {isPending && <p className={look.late}>{messages.loading}</p>}
      {isEmpty && (
        <Empty title={messages.chartsNone} why={maySet ? messages.chartsNoneWhy : messages.rights.mayNotAddChart}>
          {add}
        </Empty>
      )}
      <div className={styles['board']}>
        {schema.charts.map(({ name }) => (
          <ChartView key={name} agent={{ environment }} name={name} path={['_charts', name]} />
        ))}
        {listed.map(({ chart, teams, source }) => (
          <div key={JSON.stringify(chart)}>
            <RecordChartView
              agent={{ environment }}
              chart={chart}
              title={chart.title || messages.rights.chartSaid(chart)}
            />
            {teams.length > 0 && <p className={look.small}>{messages.rights.chartsOf(teams.join(', '))}</p>}
            {maySet && source && (
              <ChartDeeds
                said={chart.title || messages.rights.chartSaid(chart)}
                onChange={(isRemoved) => setChanging({ chart: source, teams, isRemoved })}
              />
            )}
          </div>
        ))}
      </div>
      {changing && (
        <Suspense>
          <ChangeCharts
            environment={environment}
            known={schema.collections.map(({ name }) => name)}
            {...(changing === 'new' ? {} : { changed: changing })}
            onClose={() => setChanging(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

interface ChartDeedsProps {
  readonly said: string;
  readonly onChange: (isRemoved: boolean) => void;
}

/** What can be done with a chart of the rights. */
function ChartDeeds({ said, onChange }: ChartDeedsProps) {
  const { rights: messages } = useMessages();
  return (
    <div className={look.row}>
      <Button aria-label={messages.changeChart(said)} onClick={() => onChange(false)}>
        {messages.change}
      </Button>
      <Button aria-label={messages.removeChart(said)} onClick={() => onChange(true)}>
        {messages.removePart}
      </Button>
    </div>
  );
}

interface ListedChart {
  readonly chart: RecordChart;
  /** As the rights have it, for whoever reads them. */
  readonly source?: Chart;
  /** Those that may ask for it. */
  readonly teams: readonly string[];
}

interface ListedCharts {
  readonly listed: readonly ListedChart[];
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly retry: () => void;
}

/** The charts over records of the rights: all of them for whoever reads the rights, and those of their teams for others. */
function useListedCharts(environment: string): ListedCharts {
  const { data: person } = useSuspenseQuery(meQuery);
  const readsRights = mayReadRights(person);
  const rights = useQuery({ ...rightsQuery({ environment }), enabled: readsRights });
  const own = useQuery({ ...listedChartsQuery({ environment }), enabled: !readsRights });
  const { error, isPending, refetch } = readsRights ? rights : own;
  const all = readsRights
    ? chartsOfRights(rights.data?.document ?? undefined)
    : (own.data?.charts.map((chart) => ({ chart: asListed(chart), teams: [] })) ?? []);
  return { listed: all, error, isPending, retry: () => void refetch() };
}

function chartsOfRights(document: PermissionFile | undefined): readonly ListedChart[] {
  if (!document) return [];
  return chartsIn(document).flatMap(({ chart, teams }) => {
    const known = recordChartFrom(chart);
    return known ? [{ chart: asListed(known), source: chart, teams }] : [];
  });
}

/** The rights know the collection of a chart by another name, and a chart is asked for as they have it. */
function asListed(chart: RecordChart): RecordChart {
  const listed = { ...chart, sourceCollectionName: chart.collection };
  return listed;
}
