import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Empty, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { schemaQuery } from '../model/schema.ts';
import styles from './chart.module.css';
import { ChartView } from './chart-view.tsx';
import { RecordChartView } from './record-chart-view.tsx';

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
      <Title>
        <bdi>{dashboard.title}</bdi>
      </Title>
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
