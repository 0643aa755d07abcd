import { type PlatformUser, type RenderingPermissions, roleIdsOf } from '#contracts/permissions';
import type { Caller } from '../customizer/caller.ts';
import type { CollectionRight } from './authoriser.ts';
import {
  allow,
  type Decision,
  forbid,
  holding,
  type NamedPermissions,
  ownEntry,
  type RoleStanding,
  type Standing,
} from './decision.ts';
import { fieldRulesIn } from './field-rules.ts';
import { renderingsOf, roleScopesOn, rolesGiving } from './scope-rule.ts';

/** Whether somebody has a right on a collection. */
export function decideRight({ permissions, user }: RoleStanding, collection: string, right: CollectionRight): Decision {
  const entry = ownEntry(permissions.collections, collection);
  const { holds, because } = entry
    ? holding(entry.collection[`${right}Enabled`], roleIdsOf(user))
    : { holds: false, because: 'the permissions do not name the collection' };
  return holds ? allow(because) : forbid(because, `You lack the right to ${right} the collection "${collection}".`);
}

/** Whether somebody may read every one of the collections. The first one that they may not read decides. */
export function decideRead(standing: Standing, collections: readonly string[]): Decision {
  for (const name of collections) {
    const decision = decideRight(standing, name, 'read');
    if (!decision.isAllowed) return decision;
  }
  return allow('all of them may be read');
}

/** Whether somebody edits the project. Editors see all charts and database segments; their rights on data are those of the role. */
export function isEditor({ permissionLevel }: PlatformUser): boolean {
  return permissionLevel !== 'user';
}

/**
 * Whether somebody may send queries in the language of a database: editors, unless fields, or records that their roles do not cover, are
 * closed to them. A query could read those.
 */
export function writesQueries({
  permissions,
  user,
}: {
  readonly permissions: NamedPermissions;
  readonly user: PlatformUser;
}): boolean {
  return isEditor(user) && fieldRulesIn(permissions, user) === undefined && !isKeptToScopes({ permissions, user });
}

/** Whether there is a collection that somebody's roles show a part of only. */
function isKeptToScopes(standing: RoleStanding): boolean {
  return Object.keys(standing.permissions.collections).some((name) => {
    const scopes = roleScopesOn(standing, name);
    return scopes && !rolesGiving(standing, name, 'read').some((id) => scopes.every(({ roleId }) => roleId !== id));
  });
}

/** A segment written as a query of the database. */
interface SegmentQuery {
  readonly collection: string;
  readonly connectionName: string | undefined;
  readonly query: string;
}

/** Clients put this between the queries of several segments, to ask for all of them at once. */
const unionMarker = '/*MULTI-SEGMENTS-QUERIES-UNION*/ UNION ';

/** Whether somebody may run the query of a segment: editors any, others those that one of their renderings lists. */
export async function decideSegmentQuery(
  { permissions, user, view }: Standing,
  caller: Caller,
  { collection, connectionName, query }: SegmentQuery,
): Promise<Decision> {
  if (writesQueries({ permissions, user })) return allow(`the level ${user.permissionLevel} runs every query`);
  const renderings = await renderingsOf(view, user, caller);
  const entries = renderings.flatMap(({ collections }) => ownEntry(collections, collection) ?? []);
  const listed = entries.flatMap((entry) => listedQueries(entry, connectionName));
  return isListed(query, listed)
    ? allow('the view of the team lists the query')
    : forbid(
        entries.length > 0
          ? 'the view of the team does not list the query'
          : 'the view of the team does not name the collection',
        `Your view of the project has no such segment of the collection "${collection}".`,
      );
}

function listedQueries(
  { segments, liveQuerySegments }: RenderingPermissions['collections'][string],
  connectionName: string | undefined,
): readonly string[] {
  if (connectionName === undefined) return segments;
  return liveQuerySegments.filter((live) => live.connectionName === connectionName).map(({ query }) => query);
}

function isListed(query: string, listed: readonly string[]): boolean {
  if (listed.includes(query)) return true;
  const parts = query.split(unionMarker);
  const known = new Set(listed.map(bare));
  return parts.length > 1 && parts.every((part) => known.has(bare(part)));
}

/** A query without the semicolon at its end, which a part of a union does not have. */
function bare(query: string): string {
  const trimmed = query.trim();
  return trimmed.endsWith(';') ? trimmed.slice(0, -1).trimEnd() : trimmed;
}
