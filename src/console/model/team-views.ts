import { queryOptions } from '@tanstack/react-query';
import type { TeamView } from '#contracts/preferences';
import { ask } from '../wire/http.ts';

/** The views of a list that the team shares. */
export function teamViewsQuery(collection: string) {
  return queryOptions({
    queryKey: ['views', collection],
    queryFn: ({ signal }) =>
      ask<{ readonly views: readonly TeamView[] }>(`/api/views?${new URLSearchParams({ collection })}`, { signal }),
  });
}
