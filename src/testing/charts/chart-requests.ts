import * as z from 'zod';
import { AgentHttpError, expectShape, UnknownNameError } from '../errors/agent-test-errors.ts';
import { readCapabilities } from '../records/capabilities.ts';
import type { AgentConnection } from '../wire/agent-connection.ts';
import { packId } from '../wire/record-id.ts';
import type { AgentCharts, ChartOptions, Charts, CollectionCharts, RecordChartOptions } from './chart-client.ts';

const figure = z.union([z.number(), z.string()]);
const figureOrNull = figure.nullable();
const shares = z.array(z.object({ key: z.string(), value: figure }));

const shapes = {
  value: z.object({ countCurrent: figureOrNull, countPrevious: figureOrNull.optional() }),
  distribution: shares,
  leaderboard: shares,
  percentage: figure,
  objective: z.object({ value: figure, objective: figure }),
  timeBased: z.array(z.object({ label: z.string(), values: z.object({ value: figureOrNull }) })),
  multipleTimeBased: z.object({
    labels: z.array(z.string()).nullable(),
    values: z.array(z.object({ key: z.string(), values: z.array(figureOrNull) })).nullable(),
  }),
};

const documentSchema = z.object({ data: z.object({ attributes: z.object({ value: z.unknown() }) }) });

export function createAgentCharts(connection: AgentConnection): AgentCharts {
  return chartsBy<[ChartOptions?]>((name, { parameters = {} } = {}) =>
    connection.ask({ method: 'POST', path: `/_charts/${encodeURIComponent(name)}`, json: parameters }),
  );
}

export function createCollectionCharts(connection: AgentConnection, collection: string): CollectionCharts {
  return chartsBy<[RecordChartOptions]>(async (name, { recordId, parameters = {} }) => {
    const path = `/_charts/${encodeURIComponent(collection)}/${encodeURIComponent(name)}`;
    const json = { ...parameters, record_id: packId(recordId) };
    try {
      return await connection.ask({ method: 'POST', path, json });
    } catch (error) {
      if (error instanceof AgentHttpError && error.status === 404) await refuseUnknown(connection, collection, name);
      throw error;
    }
  });
}

/** A record that is not there is answered with 404 too. */
async function refuseUnknown(connection: AgentConnection, collection: string, name: string): Promise<void> {
  const { charts } = await readCapabilities(connection, collection);
  if (charts && !charts.includes(name))
    throw new UnknownNameError(`The collection "${collection}"`, 'chart', name, charts);
}

function chartsBy<Options extends unknown[]>(
  ask: (name: string, ...options: Options) => Promise<unknown>,
): Charts<Options> {
  const value = async (name: string, options: Options) =>
    expectShape(documentSchema, await ask(name, ...options), 'a chart').data.attributes.value;
  const chart =
    <Type extends keyof typeof shapes>(type: Type) =>
    async (name: string, ...options: Options): Promise<z.infer<(typeof shapes)[Type]>> =>
      expectShape<unknown>(shapes[type], await value(name, options), `a chart of the type ${type}`) as z.infer<
        (typeof shapes)[Type]
      >;
  return {
    valueChart: chart('value'),
    distributionChart: chart('distribution'),
    leaderboardChart: chart('leaderboard'),
    percentageChart: chart('percentage'),
    objectiveChart: chart('objective'),
    timeBasedChart: chart('timeBased'),
    multipleTimeBasedChart: chart('multipleTimeBased'),
    smartChart: (name, ...options) => value(name, options),
  };
}
