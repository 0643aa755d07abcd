import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { RecordChart } from '#contracts/dashboards';
import { Button, Failure, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { type ToolCall, useScreenRequest } from '../model/screen-requests.ts';
import { type AgentAddress, askAgent, type Parameters } from '../wire/agent.ts';
import styles from './chart.module.css';
import { type ChartShape, figuresIn, rowsOf, shapeOf, shapeOfRecords, textOfKey } from './chart-shape.ts';
import type { ChartPart, CountedRecords } from './counted-records.ts';

const LineChart = lazy(async () => ({ default: (await import('./line-chart.tsx')).LineChart }));

interface ChartViewProps {
  readonly agent: AgentAddress;
  readonly name: string;
  readonly path: readonly string[];
  readonly parameters?: Parameters;
  /** Of a chart over records. */
  readonly definition?: RecordChart;
  readonly listOf?: ListOf;
  /** The call of MCP that has the figures of such a chart. */
  readonly tool?: ToolCall | undefined;
}

/** The list of the records that a part of a chart counts; `undefined` where there is none. */
type ListOf = (part: ChartPart) => CountedRecords | undefined;

/** One chart, and the same figures as a table. */
export function ChartView({ agent, name, path, parameters = {}, definition, listOf, tool }: ChartViewProps) {
  const messages = useMessages();
  const [isTable, setTable] = useState(false);
  const chart = useQuery({
    queryKey: ['rows', agent.environment, 'chart', path, parameters, definition],
    queryFn: async ({ signal }) => {
      if (!definition) return shapeOf(await askAgent<unknown>(agent, path, parameters, { signal }));
      const question = { method: 'POST', body: definition, signal } as const;
      const { data } = await askAgent<ChartDocument>(agent, path, parameters, question);
      return shapeOfRecords(data.attributes.value, definition);
    },
  });
  const [, ...names] = path;
  useScreenRequest({
    label: name,
    agent,
    path,
    parameters,
    ...(definition
      ? { method: 'POST', body: definition, ...(tool ? { tool } : { whyNoTool: messages.mcpNoLeaderboard }) }
      : { tool: { name: 'getChart', arguments: toolArguments(names, parameters) } }),
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
      {chart.data?.kind === 'nothing' && <p className={look.small}>{messages.chartNothing}</p>}
      {chart.data &&
        (isTable ? (
          <ChartTable agent={agent} shape={chart.data} listOf={listOf} />
        ) : (
          <ChartPicture agent={agent} name={name} shape={chart.data} listOf={listOf} />
        ))}
    </figure>
  );
}

/** `Orders` is a chart of the project; `orders`, `Total` is one of a record. */
function toolArguments([first, second]: readonly string[], { record_id: recordId }: Parameters) {
  return second === undefined ? { chartName: first } : { collectionName: first, chartName: second, recordId };
}

interface ChartDocument {
  readonly data: { readonly attributes: { readonly value: unknown } };
}

interface ShownChart {
  readonly agent: AgentAddress;
  readonly shape: ChartShape;
  readonly listOf: ListOf | undefined;
}

interface CountedProps extends Pick<ShownChart, 'agent' | 'listOf'> {
  readonly part: ChartPart;
  readonly children: ReactNode;
}

/** Leads to the records that a part of a chart counts. */
function Counted({ agent: { environment }, listOf, part, children }: CountedProps) {
  const list = listOf?.(part);
  if (!list) return children;
  const { collection, filters } = list;
  return (
    <Link
      to="/$environment/data/$collection"
      params={{ environment, collection }}
      search={filters === undefined ? {} : { filters }}
    >
      {children}
    </Link>
  );
}

/** The part that a row of a table is of. */
function partAt(shape: ChartShape, index: number): ChartPart {
  if (shape.kind === 'shares') return { key: shape.shares[index]?.key };
  return shape.kind === 'lines' ? { label: shape.labels[index] ?? '' } : undefined;
}

function ChartTable({ agent, shape, listOf }: ShownChart) {
  const rows = rowsOf(shape, useMessages().code);
  return (
    <table className={styles['table']}>
      {shape.kind === 'rows' && (
        <thead>
          <tr>
            {shape.columns.map((name) => (
              <th key={name} scope="col">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
      )}
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
        {rows.map(([first = '', ...others], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows may begin with the same text
          <tr key={at}>
            <th scope="row">
              <Counted agent={agent} listOf={listOf} part={partAt(shape, at)}>
                {first}
              </Counted>
            </th>
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

function ChartPicture({ agent, name, shape, listOf }: ShownChart & { readonly name: string }) {
  const navigate = useNavigate();
  const { code } = useMessages();
  const textOfFigure = figuresIn(code);
  const open = (list: CountedRecords | undefined) => {
    if (!list) return;
    const { collection, filters } = list;
    void navigate({
      to: '/$environment/data/$collection',
      params: { environment: agent.environment, collection },
      search: filters === undefined ? {} : { filters },
    });
  };
  switch (shape.kind) {
    case 'value':
      return (
        <p className={styles['figure']}>
          <Counted agent={agent} listOf={listOf} part={undefined}>
            {textOfFigure(shape.now)}
          </Counted>{' '}
          {shape.before !== undefined && <small>{changeOf(Number(shape.now), Number(shape.before), code)}</small>}
        </p>
      );
    case 'percentage':
      return <p className={styles['figure']}>{textOfFigure(shape.value)} %</p>;
    case 'objective':
      return (
        <div>
          <p className={styles['figure']}>
            <Counted agent={agent} listOf={listOf} part={undefined}>
              {textOfFigure(shape.value)}
            </Counted>{' '}
            <small>/ {textOfFigure(shape.objective)}</small>
          </p>
          <meter
            className={styles['meter']}
            aria-label={name}
            min={0}
            max={Number(shape.objective) > 0 ? Number(shape.objective) : 1}
            value={Number(shape.value)}
          />
        </div>
      );
    case 'shares':
      return <Bars agent={agent} shares={shape.shares} listOf={listOf} />;
    case 'lines':
      return (
        <Suspense>
          <LineChart
            label={name}
            labels={shape.labels}
            lines={shape.lines}
            onPoint={listOf && ((label) => open(listOf({ label })))}
          />
        </Suspense>
      );
    case 'rows':
      return <ChartTable agent={agent} shape={shape} listOf={listOf} />;
    case 'smart':
      return <pre>{JSON.stringify(shape.value, null, 2)}</pre>;
    case 'nothing':
      return null;
  }
}

/** Parts of a whole and rankings as bars: people compare lengths better than angles. Those of negative values go back from zero. */
function Bars({
  agent,
  shares,
  listOf,
}: Omit<ShownChart, 'shape'> & { readonly shares: (ChartShape & { readonly kind: 'shares' })['shares'] }) {
  const textOfFigure = figuresIn(useMessages().code);
  const values = shares.map(({ value }) => Number(value));
  const least = Math.min(0, ...values);
  const range = Math.max(0, ...values) - least || 1;
  return (
    <ul className={styles['bars']}>
      {shares.map(({ key, value }) => (
        <li key={textOfKey(key)} className={styles['bar']}>
          <Counted agent={agent} listOf={listOf} part={{ key }}>
            <bdi className={styles['name']} title={textOfKey(key)}>
              {textOfKey(key)}
            </bdi>
            <svg
              className={styles['line']}
              viewBox="0 0 100 10"
              preserveAspectRatio="none"
              data-negative={Number(value) < 0 || undefined}
              aria-hidden="true"
            >
              <rect
                x={((Math.min(0, Number(value)) - least) / range) * 100}
                width={(Math.abs(Number(value)) / range) * 100}
                height="10"
                rx="1"
              />
            </svg>
            <span className={styles['number']}>{textOfFigure(value)}</span>
          </Counted>
        </li>
      ))}
    </ul>
  );
}

function changeOf(now: number, before: number, language: string): string {
  if (before === 0) return '';
  const percent = Math.round(((now - before) / Math.abs(before)) * 100);
  return `${new Intl.NumberFormat(language, { signDisplay: 'exceptZero' }).format(percent)} %`;
}
