import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Button, Failure, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { type AgentAddress, askAgent, type Parameters } from '../wire/agent.ts';
import styles from './chart.module.css';
import { type ChartShape, rowsOf, shapeOf, textOfFigure } from './chart-shape.ts';

const LineChart = lazy(async () => ({ default: (await import('./line-chart.tsx')).LineChart }));

interface ChartViewProps {
  readonly agent: AgentAddress;
  readonly name: string;
  readonly path: readonly string[];
  readonly parameters?: Parameters;
}

/** One chart, and the same figures as a table. */
export function ChartView({ agent, name, path, parameters = {} }: ChartViewProps) {
  const messages = useMessages();
  const [isTable, setTable] = useState(false);
  const chart = useQuery({
    queryKey: ['rows', agent.environment, 'chart', path, parameters],
    queryFn: async ({ signal }) => shapeOf(await askAgent<unknown>(agent, path, parameters, { signal })),
  });
  return (
    <figure className={styles['chart']}>
      <figcaption className={styles['caption']}>
        <bdi>{name}</bdi>
        <Button look="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? messages.asChart : messages.asTable}
        </Button>
      </figcaption>
      {chart.error && <Failure error={chart.error} onRetry={() => void chart.refetch()} />}
      {chart.isPending && <p className={look.small}>{messages.loading}</p>}
      {chart.data && (isTable ? <ChartTable shape={chart.data} /> : <ChartPicture name={name} shape={chart.data} />)}
    </figure>
  );
}

function ChartTable({ shape }: { readonly shape: ChartShape }) {
  const rows = rowsOf(shape);
  return (
    <table className={styles['table']}>
      {shape.kind === 'lines' && shape.lines.length > 1 && (
        <thead>
          <tr>
            <td />
            {shape.lines.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(([first = '', ...others]) => (
          <tr key={first}>
            <th scope="row">{first}</th>
            {others.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a row have no other name than their place
              <td key={index}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ChartPicture({ name, shape }: { readonly name: string; readonly shape: ChartShape }) {
  switch (shape.kind) {
    case 'value':
      return (
        <p className={styles['figure']}>
          {textOfFigure(shape.now)}{' '}
          {shape.before !== undefined && <small>{changeOf(Number(shape.now), Number(shape.before))}</small>}
        </p>
      );
    case 'percentage':
      return <p className={styles['figure']}>{textOfFigure(shape.value)} %</p>;
    case 'objective':
      return (
        <div>
          <p className={styles['figure']}>
            {textOfFigure(shape.value)} <small>/ {textOfFigure(shape.objective)}</small>
          </p>
          <meter
            className={styles['meter']}
            aria-label={name}
            min={0}
            max={Math.max(Number(shape.objective), 1)}
            value={Number(shape.value)}
          />
        </div>
      );
    case 'shares':
      return <Bars shares={shape.shares} />;
    case 'lines':
      return (
        <Suspense>
          <LineChart label={name} labels={shape.labels} lines={shape.lines} />
        </Suspense>
      );
    case 'smart':
      return <pre>{JSON.stringify(shape.value, null, 2)}</pre>;
  }
}

/** Parts of a whole and rankings as bars: people compare lengths better than angles. */
function Bars({ shares }: { readonly shares: (ChartShape & { readonly kind: 'shares' })['shares'] }) {
  const most = Math.max(...shares.map(({ value }) => Math.abs(Number(value))), Number.MIN_VALUE);
  return (
    <ul className={styles['bars']}>
      {shares.map(({ key, value }) => (
        <li key={key} className={styles['bar']}>
          <bdi className={styles['name']}>{key}</bdi>
          <svg className={styles['line']} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect width={(Math.abs(Number(value)) / most) * 100} height="10" rx="1" />
          </svg>
          <span className={styles['number']}>{textOfFigure(value)}</span>
        </li>
      ))}
    </ul>
  );
}

function changeOf(now: number, before: number): string {
  if (before === 0) return '';
  const percent = Math.round(((now - before) / Math.abs(before)) * 100);
  return `${percent > 0 ? '+' : ''}${percent} %`;
}
