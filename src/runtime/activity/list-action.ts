import type { ActivityAction } from '#contracts/activity';

/** What the list of a collection is reported as. The report does not hold the searched text, and no filter. */
export function listAction(search: string | undefined, isFiltered: boolean): ActivityAction {
  if (search?.trim()) return 'search';
  return isFiltered ? 'filter' : 'index';
}
