import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMessages } from '../messages/index.ts';
import { schemaQuery } from '../model/schema.ts';
import styles from './chart.module.css';
import { ChartView } from './chart-view.tsx';

/** The charts of the project that belong to no record. */
export function ChartsScreen() {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment/charts' });
  const { data: schema } = useSuspenseQuery(schemaQuery({ environment }));
  return (
    <>
      <h1>{messages.charts}</h1>
      <div className={styles['board']}>
        {schema.charts.map(({ name }) => (
          <ChartView key={name} agent={{ environment }} name={name} path={['_charts', name]} />
        ))}
      </div>
    </>
  );
}
