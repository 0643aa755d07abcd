import { queryOptions } from '@tanstack/react-query';
import type { PermissionFile } from '#contracts/permission-file';
import type { CheckedDraft, RefusedByRights, Rights } from '#contracts/rights';
import { ask } from '../wire/http.ts';

interface Place {
  readonly environment: string;
}

/** The header that names the environment a request is about. */
function about({ environment }: Place): Readonly<Record<string, string>> {
  return { 'service-environment': environment };
}

/** The rights of an environment. */
export function rightsQuery(place: Place) {
  return queryOptions({
    queryKey: ['rights', place.environment],
    queryFn: ({ signal }) => ask<Rights>('/api/rights', { headers: about(place), signal }),
    staleTime: 30_000,
  });
}

/** What a draft would change, and whom it would leave without any rights. */
export function checkedDraftQuery(place: Place, document: PermissionFile) {
  return queryOptions({
    queryKey: ['rights', place.environment, 'check', document],
    queryFn: ({ signal }) =>
      ask<CheckedDraft>('/api/rights/check', { method: 'POST', body: { document }, headers: about(place), signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** How far back the log is asked. */
export const refusalDays = 30;

/** What people did lately and the draft would refuse. */
export function refusedByDraftQuery(place: Place, document: PermissionFile) {
  return queryOptions({
    queryKey: ['rights', place.environment, 'refusals', document],
    queryFn: ({ signal }) =>
      ask<RefusedByRights>('/api/rights/refusals', {
        method: 'POST',
        body: { document, days: refusalDays },
        headers: about(place),
        signal,
      }),
    gcTime: 0,
  });
}

/** Rights that somebody has looked at, and the revision that they compared them with. */
export interface RightsToSet {
  readonly document: PermissionFile;
  readonly base: number;
  readonly allowLockout: boolean;
}

export function setRights(place: Place, rights: RightsToSet): Promise<Rights> {
  return ask('/api/rights', { method: 'PUT', body: rights, headers: about(place) });
}
