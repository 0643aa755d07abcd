import type { ActionService } from '../actions/action-service.ts';
import type { AggregateChart } from '../charts/aggregate-chart.ts';
import type { ChartService } from '../charts/chart-service.ts';
import type { ChartResult } from '../customizer/chart-definition.ts';
import { type CallContext, readInput } from '../records/calls/call-context.ts';
import type { ListQuestion, PlannedQuery } from '../records/request/planned-query.ts';
import type { PageQuery, RecordQuery, RecordService, SelectionQuery } from '../records/request/record-service.ts';
import type { QueryRecorder } from './query-recorder.ts';
import { type QueryShape, shapeInWords } from './query-shape.ts';

/** The services that surfaces ask, with a recorder that measures them. */
interface Services {
  readonly recordService: RecordService;
  readonly actions: ActionService;
  readonly charts: ChartService;
}

/** The same services, whose reads, charts and runs of actions are measured. What one of them asks of another is a part of its own call. */
export function measuredServices({ recordService, actions, charts }: Services, recorder: QueryRecorder): Services {
  return {
    recordService: {
      ...recordService,
      ...measuredReads(recordService, recorder),
      ...markedWrites(recordService, recorder),
    },
    actions: measuredActions(actions, recorder),
    charts: measuredCharts(charts, recorder),
  };
}

type Asked<Query> = Query | { readonly collection: string; read(): Query };

/** The question, and what it turned out to be once the service had read it. */
function overheard<Query extends object>(asked: Asked<Query>) {
  if (!('read' in asked)) return { question: asked, told: (): Query | undefined => asked };
  let query: Query | undefined;
  const read = () => {
    query = asked.read();
    return query;
  };
  return { question: { collection: asked.collection, read }, told: () => query };
}

function measuredReads(
  records: RecordService,
  recorder: QueryRecorder,
): Pick<RecordService, 'list' | 'page' | 'count' | 'aggregate' | 'get' | 'exportRecords'> {
  const keptShape = createKeptShapes<ListQuestion>();
  return {
    list(asked, context) {
      const { collection } = asked;
      const { question, told } = overheard<RecordQuery | PlannedQuery>(asked as Asked<RecordQuery | PlannedQuery>);
      return recorder.measure(context, {
        work: (call) => records.list(question as typeof asked, call),
        shape: () => {
          const query = told();
          if (!query) return undefined;
          if (!('plan' in query)) return shapeOfRead('list', collection, query);
          return keptShape(query.asked, () => shapeOfPlan(collection, query.asked));
        },
        shown: (found) => found.length,
      });
    },
    page(asked, context) {
      const { question, told } = overheard<PageQuery>(asked);
      return recorder.measure(context, {
        work: (call) => records.page(question as typeof asked, call),
        shape: () => read('list', asked.collection, told()),
        shown: (found) => found.records.length,
      });
    },
    count(asked, context) {
      const { question, told } = overheard<SelectionQuery>(asked);
      return recorder.measure(context, {
        work: (call) => records.count(question, call),
        shape: () => read('count', asked.collection, told()),
        shown: () => 1,
      });
    },
    aggregate(asked, context) {
      const { question, told } = overheard(asked);
      return recorder.measure(context, {
        work: (call) => records.aggregate(question, call),
        shape: () => {
          const query = told();
          if (!query) return undefined;
          const { field, groups } = query.aggregation;
          const fields = [...groups.map((group) => group.field), ...(field === undefined ? [] : [field])];
          return { ...shapeOfRead('aggregate', asked.collection, query), fields };
        },
        shown: (found) => found.length,
      });
    },
    get(collection, id, projection, context) {
      let fields: readonly string[] | undefined;
      const read = () => {
        fields = readInput(projection);
        return fields;
      };
      return recorder.measure(context, {
        work: (call) => records.get(collection, id, read, call),
        shape: () => ({ kind: 'record', collection, fields }),
        shown: () => 1,
      });
    },
    async exportRecords(asked, limit, context) {
      const { question, told } = overheard(asked);
      const batches = await records.exportRecords(question, limit, context);
      recorder.markUsed(asked.collection, told()?.projection ?? []);
      return batches;
    },
  };
}

function read(kind: 'list' | 'count', collection: string, query: SelectionQuery | undefined): QueryShape | undefined {
  return query && shapeOfRead(kind, collection, query);
}

type ShapedQuery = Partial<
  Pick<RecordQuery, 'where' | 'search' | 'segment' | 'liveSegment' | 'relatedTo' | 'sort' | 'projection'>
>;

function shapeOfRead(kind: QueryShape['kind'], collection: string, query: ShapedQuery): QueryShape {
  const { where, segment, liveSegment, relatedTo, sort, projection: fields } = query;
  return {
    kind,
    collection,
    name: segment || (liveSegment && 'a query of a person'),
    where,
    sort,
    isSearching: Boolean(query.search?.trim()),
    relation: relatedTo && { collection: relatedTo.collection, relation: relatedTo.relation },
    fields,
  };
}

/** Shapes of what is asked again and again, each made and put into words once. */
function createKeptShapes<Asked extends object>(): (asked: Asked, make: () => QueryShape) => QueryShape {
  const shapes = new WeakMap<Asked, QueryShape>();
  return (asked, make) => {
    const known = shapes.get(asked);
    if (known) return known;
    const shape = make();
    const kept = { ...shape, words: shapeInWords(shape) };
    shapes.set(asked, kept);
    return kept;
  };
}

function shapeOfPlan(collection: string, { filter, sort, projection: fields }: ListQuestion): QueryShape {
  return { kind: 'list', collection, where: filter?.tree, sort, fields };
}

/** Who writes a field uses it. */
function markedWrites(
  records: RecordService,
  recorder: QueryRecorder,
): Pick<RecordService, 'createLinked' | 'create' | 'update' | 'updateLinked'> {
  return {
    async createLinked(collection, asked, context) {
      const { question, fields } = fieldsTold(
        () => readInput(asked),
        ({ attributes }) => attributes,
      );
      const created = await records.createLinked(collection, question, context);
      recorder.markUsed(collection, fields());
      return created;
    },
    async create(collection, asked, context) {
      const { question, fields } = fieldsTold(() => readInput(asked));
      const created = await records.create(collection, question, context);
      recorder.markUsed(collection, fields());
      return created;
    },
    async update(collection, id, patch, context, ifMatch) {
      const { question, fields } = fieldsTold(() => readInput(patch));
      const updated = await records.update(collection, id, question, context, ifMatch);
      recorder.markUsed(collection, fields());
      return updated;
    },
    async updateLinked(collection, id, patch, context, ifMatch) {
      const { question, fields } = fieldsTold(
        () => readInput(patch),
        ({ attributes }) => attributes,
      );
      const updated = await records.updateLinked(collection, id, question, context, ifMatch);
      recorder.markUsed(collection, fields());
      return updated;
    },
  };
}

function fieldsTold<Asked extends object>(read: () => Asked, valuesOf: (asked: Asked) => object = (asked) => asked) {
  let fields: readonly string[] = [];
  const question = () => {
    const asked = read();
    fields = Object.keys(valuesOf(asked));
    return asked;
  };
  return { question, fields: () => fields };
}

function measuredActions(actions: ActionService, recorder: QueryRecorder): ActionService {
  type Target = Parameters<ActionService['run']>[0];
  const keptShape = createKeptShapes<Target['action']>();
  const shapeOf = ({ collection, action }: Target) =>
    keptShape(action, () => ({ kind: 'action', collection: collection.name, name: action.name }));
  return {
    ...actions,
    run: (target, approval, readInput, context) =>
      recorder.measure(context, {
        work: (call) => actions.run(target, approval, readInput, call),
        shape: () => shapeOf(target),
      }),
    async prepareRequested(target, requested, context, reader) {
      const run = await actions.prepareRequested(target, requested, context, reader);
      return (notes) => recorder.measure(context, { work: () => run(notes), shape: () => shapeOf(target) });
    },
  };
}

function measuredCharts(charts: ChartService, recorder: QueryRecorder): ChartService {
  const shown = ({ value }: ChartResult) => pointsOf(value);
  return {
    listedCharts: (caller) => charts.listedCharts(caller),
    agentChart: (name, parameters, context) =>
      recorder.measure(context, {
        work: (call) => charts.agentChart(name, parameters, call),
        shape: () => ({ kind: 'chart', name }),
        shown,
      }),
    collectionChart: (collection, name, readRecord, context) =>
      recorder.measure(context, {
        work: (call) => charts.collectionChart(collection, name, readRecord, call),
        shape: () => ({ kind: 'chart', collection, name }),
        shown,
      }),
    aggregateChart(collection, chart, context) {
      let drawn: AggregateChart | undefined;
      const read: typeof chart.read = (variables) => {
        drawn = chart.read(variables);
        return drawn;
      };
      return recorder.measure(context, {
        work: (call: CallContext) => charts.aggregateChart(collection, { ...chart, read }, call),
        shape: () => drawn && shapeOfChart(collection, drawn),
        shown: pointsOf,
      });
    },
    nativeQueryChart: (chart, context) =>
      recorder.measure(context, {
        work: (call) => charts.nativeQueryChart(chart, call),
        shape: () => ({ kind: 'chart', name: 'a query of a person' }),
        shown: pointsOf,
      }),
  };
}

/** A chart that a dashboard defines has no name: what it draws stands for it. */
function shapeOfChart(collection: string, chart: AggregateChart): QueryShape {
  const { type, measure, where } = chart;
  const fields = [
    measure.field,
    'groupBy' in chart ? chart.groupBy : undefined,
    'label' in chart ? chart.label : undefined,
  ];
  const named = fields.filter((field) => field !== undefined);
  return { kind: 'chart', collection, name: [type, measure.operation, ...named].join(' '), where, fields: named };
}

/** How many numbers a chart shows. */
function pointsOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 1;
}
