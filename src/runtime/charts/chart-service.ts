import { type RecordChart, recordChartOf } from '#contracts/dashboards';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../customizer/caller.ts';
import type { ChartResult, ChartResultBuilder } from '../customizer/chart-definition.ts';
import { type CompiledModel, collectionNamed } from '../model/compiled-model.ts';
import { idCondition, recordNotFound, simpleKey, soleRecord } from '../model/record-id.ts';
import type { Authoriser } from '../permissions/authoriser.ts';
import { chartText } from '../permissions/chart-text.ts';
import type { CallContext } from '../records/calls/call-context.ts';
import { type Variables, variablesOf } from '../records/calls/call-variables.ts';
import { runNativeQuery } from '../records/read/run-native-query.ts';
import type { RecordService } from '../records/request/record-service.ts';
import { legibleThrown } from '../user-code/call-handler.ts';
import { refusalOf } from '../user-code/refusal-of.ts';
import { handlerNames } from '../user-code/running-code.ts';
import type { AggregateChart } from './aggregate-chart.ts';
import { createChartResultBuilder } from './chart-result-builder.ts';
import { type NativeQueryChart, nativeQueryValue } from './native-query-chart.ts';
import { runAggregateChart } from './run-aggregate-chart.ts';

/** The parameters of a chart, as texts. */
type ChartParameters = Readonly<Record<string, string>>;

/** The record of a chart about a collection. */
export interface RecordOfChart {
  readonly parameters: ChartParameters;
  /** One value for each key column of the record. */
  readonly id: readonly (string | number)[];
}

/** A chart that the client defines, as those on the dashboards of a rendering. */
interface DefinedChart<Chart> {
  /** The definition as the client sent it, by which the platform knows the chart. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** Values for the variables of the definition, by name. */
  readonly contextVariables: Readonly<Record<string, unknown>>;
  /** Read the definition, its variables filled in. */
  read(variables: Variables): Chart;
}

/** Charts, for every surface. A method asks for the right first, then reads its input, then gives what the chart shows, as JSON. */
export interface ChartService {
  /** The charts over records that the rights list for the caller, as far as the caller may browse the records. Right: none. */
  listedCharts(caller: Caller): Promise<readonly RecordChart[]>;
  /** A chart of the agent. Right: none. Rejects with `REQUEST_NOT_FOUND` or `CUSTOMIZATION_FAILED`. */
  agentChart(name: string, parameters: ChartParameters, context: CallContext): Promise<ChartResult>;
  /** A chart about a record. Right: to read the collection. Rejects with `REQUEST_NOT_FOUND` or `CUSTOMIZATION_FAILED`. */
  collectionChart(
    collection: string,
    name: string,
    readRecord: () => RecordOfChart,
    context: CallContext,
  ): Promise<ChartResult>;
  /**
   * A chart over the records of a collection. Right: to see the chart (a level above user, or a rendering or a dashboard that lists it), to
   * browse the collection, and to read where its paths end.
   */
  aggregateChart(collection: string, chart: DefinedChart<AggregateChart>, context: CallContext): Promise<unknown>;
  /** A chart with the numbers of a database query. Right: to see the chart. */
  nativeQueryChart(chart: DefinedChart<NativeQueryChart>, context: CallContext): Promise<unknown>;
}

export function createChartService(
  model: CompiledModel,
  records: Pick<RecordService, 'aggregate' | 'contextOf' | 'contextFilter' | 'dataSourceOf'>,
  authoriser: Authoriser,
): ChartService {
  return {
    async listedCharts(caller) {
      const [charts, rights] = await Promise.all([authoriser.chartsOf(caller), authoriser.rightsOf(caller)]);
      return charts
        .flatMap((chart) => recordChartOf(chart) ?? [])
        .filter(({ collection }) => model.collections.has(collection) && rights.has(collection, 'browse'));
    },

    async agentChart(name, parameters, context) {
      const chart = chartNamed(model.charts, name, 'The agent');
      const { caller } = context;
      const dataSource = records.dataSourceOf(context);
      return runChart(`The chart "${name}"`, chart, { caller, dataSource, timezone: caller.timezone, parameters });
    },

    async collectionChart(collectionName, name, readRecord, context) {
      const collection = collectionNamed(model, collectionName);
      const chart = chartNamed(collection.charts, name, `The collection "${collection.name}"`);
      await authoriser.require(context.caller, collection.name, 'read');
      const { parameters, id } = readRecord();
      const handlerContext = records.contextOf(collection.name, context);
      return runChart(`The chart "${name}" of "${collection.name}"`, chart, {
        ...handlerContext,
        timezone: context.caller.timezone,
        parameters,
        recordId: simpleKey(id),
        compositeRecordId: id,
        async getRecord(fields) {
          const selection = { collection: collection.name, where: idCondition(collection, id) };
          const filter = await records.contextFilter(selection, 'read', context);
          const record = soleRecord(collection, await handlerContext.collection.list(filter, fields));
          if (!record) throw recordNotFound(collection);
          return record;
        },
      });
    },

    async aggregateChart(collectionName, { definition, contextVariables, read }, context) {
      const collection = collectionNamed(model, collectionName);
      if (!isOnDashboard(model, definition)) await authoriser.requireChart(context.caller, definition);
      const chart = read(variablesOf(context.caller, contextVariables));
      const scope = await authoriser.scopeOf(context.caller, collection.name, 'browse');
      return runAggregateChart({ model, records, collection, context, isScoped: scope !== undefined }, chart);
    },

    async nativeQueryChart({ definition, contextVariables, read }, context) {
      await authoriser.requireChart(context.caller, definition);
      const variables = variablesOf(context.caller, contextVariables);
      const { type, ...query } = read(variables);
      return nativeQueryValue(type, await runNativeQuery(model, query, variables, context));
    },
  };
}

/** Whether the code itself has this chart on a dashboard. Whoever may browse the records may see it. */
function isOnDashboard({ dashboards = [] }: CompiledModel, asked: Readonly<Record<string, unknown>>): boolean {
  const charts = dashboards.flatMap((dashboard) => dashboard.charts.map(({ definition }) => definition));
  const records = charts.filter((chart) => 'collection' in chart);
  if (records.length === 0) return false;
  const wanted = chartText(asked);
  return records.some((chart) => chartText({ ...chart, sourceCollectionName: chart.collection }) === wanted);
}

function chartNamed<Chart>(charts: ReadonlyMap<string, Chart>, name: string, owner: string): Chart {
  const chart = charts.get(name);
  if (chart) return chart;
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `${owner} has no chart "${name}".`,
    'Use the name of a chart that the customization adds.',
  );
}

/**
 * Run the code of a chart.
 *
 * @param subject What errors of its code call the chart.
 * @throws `CUSTOMIZATION_FAILED` for a chart that threw, or returned something else than a result of the result builder.
 */
export async function runChart<Context extends { readonly timezone: string }>(
  subject: string,
  definition: (context: Context, resultBuilder: ChartResultBuilder) => ChartResult | Promise<ChartResult>,
  context: Context,
): Promise<ChartResult> {
  let result: unknown;
  try {
    result = await handlerNames.run(subject, () => definition(context, createChartResultBuilder(context.timezone)));
  } catch (thrown) {
    const error = legibleThrown(thrown);
    const said = error instanceof Error ? error.message : String(error);
    throw refusalOf(error) ?? chartFailed(`${subject} threw: ${said}`, error);
  }
  if (isChartResult(result)) return result;
  throw chartFailed(`${subject} returned something that no method of the result builder has made.`);
}

function isChartResult(result: unknown): result is ChartResult {
  return typeof result === 'object' && result !== null && 'type' in result && result.type === 'chart';
}

function chartFailed(message: string, cause?: unknown): CloudError {
  return cloudError(
    'CUSTOMIZATION_FAILED',
    message,
    'Correct the code of the chart; it returns resultBuilder.value(…) or another of its methods.',
    { ...(cause === undefined ? {} : { cause }) },
  );
}
