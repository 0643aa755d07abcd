import { useQuery } from '@tanstack/react-query';
import type { RecordChart } from '#contracts/dashboards';
import { collectionQuery } from '../model/schema.ts';
import { type AgentAddress, zone } from '../wire/agent.ts';
import { aggregateCall } from './aggregate-call.ts';
import { ChartView } from './chart-view.tsx';
import { countedRecords } from './counted-records.ts';

interface RecordChartViewProps {
  readonly agent: AgentAddress;
  readonly chart: RecordChart;
  /** What stands above it, where its own title does not. */
  readonly title?: string;
}

/** A chart over records, whose parts lead to the records that they count. */
export function RecordChartView({ agent, chart, title = chart.title }: RecordChartViewProps) {
  const { data: collection } = useQuery(collectionQuery(agent, chart.collection));
  return (
    <ChartView
      agent={agent}
      name={title}
      path={['stats', chart.collection]}
      definition={chart}
      tool={collection && aggregateCall(chart, collection)}
      listOf={(part) => collection && countedRecords(chart, part, collection, zone())}
    />
  );
}
