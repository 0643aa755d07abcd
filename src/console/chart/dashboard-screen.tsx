import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { RecordChart } from '#contracts/dashboards';
import { Empty } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, schemaQuery } from '../model/schema.ts';
import { type AgentAddress, zone } from '../wire/agent.ts';
import { aggregateCall } from './aggregate-call.ts';
import styles from './chart.module.css';
import { ChartView } from './chart-view.tsx';
import { countedRecords } from './counted-records.ts';

/** The charts of one dashboard. */
export function DashboardScreen() {
  const messages = useMessages();
  const { environment, dashboard: name } = useParams({ from: '/$environment/dashboards/$dashboard' });
  const { data: schema } = useSuspenseQuery(schemaQuery({ environment }));
  const dashboard = schema.dashboards.find((known) => known.name === name);
  if (!dashboard) return <Empty title={messages.notFound} />;
  const agent = { environment };
  return (
    <>
      <h1>
        <bdi>{dashboard.title}</bdi>
      </h1>
      <div className={styles['board']}>
        {dashboard.charts.map((chart, index) =>
          'chart' in chart ? (
            <ChartView
              // biome-ignore lint/suspicious/noArrayIndexKey: a dashboard may have a chart twice
              key={index}
              agent={agent}
              name={chart.title ?? chart.chart}
              path={['_charts', chart.chart]}
            />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <RecordChartView key={index} agent={agent} chart={chart} />
          ),
        )}
      </div>
    </>
  );
}

/** A chart over records, whose parts lead to the records that they count. */
function RecordChartView({ agent, chart }: { readonly agent: AgentAddress; readonly chart: RecordChart }) {
  const { data: collection } = useQuery(collectionQuery(agent, chart.collection));
  return (
    <ChartView
      agent={agent}
      name={chart.title}
      path={['stats', chart.collection]}
      definition={chart}
      tool={collection && aggregateCall(chart, collection)}
      listOf={(part) => collection && countedRecords(chart, part, collection, zone())}
    />
  );
}
