import type { VisibleCollection } from '../model/schema.ts';
import type { AgentAddress } from '../wire/agent.ts';
import styles from './chart.module.css';
import { ChartView } from './chart-view.tsx';

interface RecordChartsProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly id: string;
}

/** The charts of one record. */
export function RecordCharts({ agent, collection, id }: RecordChartsProps) {
  if (collection.charts.length === 0) return null;
  return (
    <div className={styles['board']}>
      {collection.charts.map(({ name }) => (
        <ChartView
          key={name}
          agent={agent}
          name={name}
          path={['_charts', collection.name, name]}
          parameters={{ record_id: id }}
        />
      ))}
    </div>
  );
}
