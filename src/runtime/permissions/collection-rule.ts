import type { CollectionRight } from './authoriser.ts';
import { allow, type Decision, forbid, holding, ownEntry, type Standing } from './decision.ts';

/** Whether somebody has a right on a collection. */
export function decideRight({ permissions, user }: Standing, collection: string, right: CollectionRight): Decision {
  const entry = ownEntry(permissions.collections, collection);
  const { holds, because } = entry
    ? holding(entry.collection[`${right}Enabled`], user.roleId)
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
