import type { ShopRequest } from './requests.ts';

/** The call of a tool. */
export interface AskedTool {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The call of a tool that asks the same as a request of the REST API; `undefined` where no tool reads that. */
export function toolOf({ kind, root, url, headers, body }: ShopRequest): AskedTool | undefined {
  const { pathname, searchParams } = new URL(url, 'http://shop.test');
  const [, , collection = '', id = '', , relation = ''] = pathname.split('/');
  const projection = headers['service-projection'];
  const sort = searchParams.get('sort');
  const selection = {
    filters: searchParams.get('filters') ?? undefined,
    search: searchParams.get('search') ?? undefined,
    shouldSearchInRelation: searchParams.has('searchExtended'),
  };
  const list = {
    ...selection,
    ...(projection ? { fields: projection.split(',') } : {}),
    ...(sort ? { sort: { field: sort.replace('.', ':') } } : {}),
  };
  switch (kind) {
    case 'list':
      return { name: 'list', args: { collectionName: root, ...list } };
    case 'related':
      if (pathname.endsWith('.csv') || pathname.endsWith('/count')) return undefined;
      // No relation leads to customers: all of them are listed.
      if (relation === '') return { name: 'list', args: { collectionName: root, ...list } };
      return {
        name: 'listRelated',
        args: { collectionName: collection, parentRecordId: id, relationName: relation, ...list },
      };
    case 'count':
      return { name: 'aggregate', args: { collectionName: root, ...selection } };
    case 'get':
      return { name: 'getRecord', args: { collectionName: root, recordId: id } };
    case 'chart':
      return {
        name: 'getChart',
        args: { chartName: 'Label', collectionName: 'orders', recordId: searchParams.get('record_id') },
      };
    case 'stats':
      return aggregateOf(root, body as StatsBody);
    default:
      return undefined;
  }
}

interface StatsBody {
  readonly type: string;
  readonly aggregator: string;
  readonly aggregateFieldName: string | null;
  readonly groupByFieldName: string | null;
  readonly filter: Record<string, unknown> | null;
}

function aggregateOf(collectionName: string, body: StatsBody): AskedTool | undefined {
  if (body.type === 'Leaderboard') return undefined;
  const { aggregator: operation, aggregateFieldName: field, groupByFieldName: group, filter } = body;
  return {
    name: 'aggregate',
    args: {
      collectionName,
      aggregates: [{ operation, ...(field === null ? {} : { field }) }],
      ...(group === null ? {} : { groupBy: [{ field: group }] }),
      ...(filter === null ? {} : { filters: filter }),
    },
  };
}
