import type { ScreenRequest } from '../model/screen-requests.ts';
import { readFilters } from './filter-tree.ts';
import { inTools } from './filter-words.ts';
import type { RowSource } from './use-rows.ts';

/** The request of a list, and the call of MCP that does the same. */
export function listRequest({ agent, path, parameters, paths, collection }: RowSource): ScreenRequest {
  const { search, searchExtended, segment, deleted, filters, sort } = parameters;
  const tree = readFilters(filters);
  const question = {
    search,
    shouldSearchInRelation: searchExtended === undefined ? undefined : true,
    segment,
    deleted,
    filters: tree && inTools(tree),
    sort: sort?.replaceAll('.', ':'),
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
