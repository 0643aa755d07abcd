import { invalidRequest } from '#kernel/errors/request-errors';
import type { SortClause } from '../../../query/record-query.ts';

/** `sort=-price,author.name`: a comma list, `-` for descending; of `a.b:c` only the first dot stands for a relation. */
export function parseSort(value: unknown): readonly SortClause[] | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw unusable();
  return value.split(',').map((part) => {
    const ascending = !part.startsWith('-');
    const field = (ascending ? part : part.slice(1)).replace('.', ':');
    if (field === '') throw unusable();
    return { field, ascending };
  });
}

function unusable() {
  return invalidRequest('The parameter "sort" has an empty part.', 'List columns, such as sort=-price,author.name.');
}
