import type { ScreenRequest } from '../model/screen-requests.ts';
import { type FilterTree, isGroup, readFilters } from './filter-tree.ts';
import type { RowSource } from './use-rows.ts';

/** The request of a list. Its call of MCP has the first of several sorts, because tools take one. */
export function listRequest({ agent, path, parameters, paths, collection }: RowSource): ScreenRequest {
  const { search, searchExtended, segment, deleted, filters, sort } = parameters;
  const [first] = sort?.split(',') ?? [];
  const tree = readFilters(filters);
  const question = {
    search,
    shouldSearchInRelation: searchExtended === undefined ? undefined : true,
    segment,
    deleted,
    filters: tree && inTools(tree),
    sort: first === undefined ? undefined : { field: fieldOf(first), ascending: !first.startsWith('-') },
    fields: paths,
  };
  const [owner, id, , relation] = path;
  return {
    label: relation ?? collection,
    agent,
    path,
    parameters,
    headers: { 'service-projection': paths.join(', ') },
    tool:
      relation === undefined
        ? { name: 'list', arguments: { collectionName: collection, ...question } }
        : {
            name: 'listRelated',
            arguments: { collectionName: owner, parentRecordId: id, relationName: relation, ...question },
          },
  };
}

/** `-customer.name` is `customer:name`. */
function fieldOf(sort: string): string {
  return sort.replace(/^-/, '').replace('.', ':');
}

/** `greater_than` is `GreaterThan`, and `and` is `And`. */
function inTools(tree: FilterTree): object {
  if (isGroup(tree)) return { aggregator: pascal(tree.aggregator), conditions: tree.conditions.map(inTools) };
  return { ...tree, operator: pascal(tree.operator) };
}

function pascal(name: string): string {
  return name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}
