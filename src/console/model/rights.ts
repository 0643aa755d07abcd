import { queryOptions } from '@tanstack/react-query';
import type { PermissionFile } from '#contracts/permission-file';
import type { CheckedDraft, RefusedByRights, RenamedRole, Rights } from '#contracts/rights';
import type { SchemaDocument } from '#contracts/schema-document';
import { ask } from '../wire/http.ts';
import { own } from '../wire/own.ts';

type Tags = Readonly<Record<string, string>>;

/** What scopes know of somebody, as the rights name it. */
export function tagsOf({ people = {} }: PermissionFile, email: string): Tags {
  return own(people, nameIn(people, email))?.tags ?? {};
}

/** The rights with other tags of somebody. Only what differs from `before` changes, so that nobody's other change is lost. */
export function withTags(document: PermissionFile, email: string, before: Tags, after: Tags): PermissionFile {
  const { people = {}, ...rest } = document;
  const name = nameIn(people, email);
  const { [name]: person, ...others } = people;
  const changed = Object.entries(after).filter(([tag, value]) => own(before, tag) !== value);
  const kept = Object.entries(person?.tags ?? {}).filter(
    ([tag]) => own(before, tag) === undefined || own(after, tag) !== undefined,
  );
  const tags = Object.fromEntries([...kept, ...changed]);
  const { tags: _replaced, ...roles } = person ?? {};
  const entry = { ...roles, ...(Object.keys(tags).length > 0 ? { tags } : {}) };
  const all = Object.keys(entry).length > 0 ? { ...people, [name]: entry } : others;
  return Object.keys(all).length > 0 ? { ...rest, people: all } : rest;
}

/** Addresses do not differ by case. */
function nameIn(people: Readonly<Record<string, unknown>>, email: string): string {
  return Object.keys(people).find((name) => name.toLowerCase() === email.toLowerCase()) ?? email;
}

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

/**
 * What the environment has, whatever the person may see of it. Rights may name all of that. The schema is `null` before an agent has told.
 */
export function publishedSchemaQuery(place: Place) {
  return queryOptions({
    queryKey: ['published schema', place.environment],
    queryFn: async ({ signal }) => {
      const { schema } = await ask<{ readonly schema: SchemaDocument | null }>('/api/schema', {
        headers: about(place),
        signal,
      });
      return schema;
    },
    staleTime: 30_000,
  });
}

/** What a draft would change, and who would be left without any rights. */
export function checkedDraftQuery(place: Place, document: PermissionFile, renamedRoles: readonly RenamedRole[]) {
  const body = { document, renamedRoles };
  return queryOptions({
    queryKey: ['rights', place.environment, 'check', body],
    queryFn: ({ signal }) =>
      ask<CheckedDraft>('/api/rights/check', { method: 'POST', body, headers: about(place), signal }),
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
  readonly renamedRoles?: readonly RenamedRole[];
}

export function setRights(place: Place, rights: RightsToSet): Promise<Rights> {
  return ask('/api/rights', { method: 'PUT', body: rights, headers: about(place) });
}
