import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Empty, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { schemaQuery } from '../model/schema.ts';
import styles from './chart.module.css';
import { ChartView } from './chart-view.tsx';

/** The charts of the project that belong to no record, and the way to its dashboards. */
export function ChartsScreen() {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment/charts' });
  const { data: schema } = useSuspenseQuery(schemaQuery({ environment }));
  return (
    <>
      <h1>{messages.charts}</h1>
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
      {schema.charts.length === 0 && <Empty title={messages.chartsNone} why={messages.chartsNoneWhy} />}
      <div className={styles['board']}>
        {schema.charts.map(({ name }) => (
          <ChartView key={name} agent={{ environment }} name={name} path={['_charts', name]} />
        ))}
      </div>
    </>
  );
}
