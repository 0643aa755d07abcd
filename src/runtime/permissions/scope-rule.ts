import type { Caller } from '../plan/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { fillPlaceholders, UnknownPlaceholder } from './current-user.ts';
import { type Denied, forbid, ownEntry } from './decision.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';
import { parseScope } from './scope.ts';

/** The restriction of a caller on a collection, filled in for them. Throws `REQUEST_FORBIDDEN` where it cannot be known. */
export async function scopeOf(
  documents: PermissionDocuments,
  caller: Caller,
  collection: string,
): Promise<ConditionTree | undefined> {
  if ((await documents.trusted.environment()) === true) return undefined;
  const first = await scopeIn(documents.trusted, caller, collection);
  const settled = 'denial' in first ? await scopeIn(documents.fresh, caller, collection) : first;
  if ('denial' in settled) throw settled.denial.error;
  return settled.scope;
}

async function scopeIn(
  view: PermissionView,
  { id, renderingId }: Caller,
  collection: string,
): Promise<{ readonly scope: ConditionTree | undefined } | { readonly denial: Denied }> {
  const user = (await view.users()).get(id);
  const { collections, team } = await view.rendering(renderingId);
  const entry = ownEntry(collections, collection);
  if (!user || !entry) {
    const because = `the rendering does not name the ${user ? 'collection' : 'user'}`;
    return { denial: forbid(because, `Your view of the project does not name the collection "${collection}".`) };
  }
  if (entry.scope === null || entry.scope === undefined) return { scope: undefined };
  try {
    return { scope: parseScope(fillPlaceholders(entry.scope, user, team), collection) };
  } catch (error) {
    if (!(error instanceof UnknownPlaceholder)) throw error;
    const message = `The scope of "${collection}" refers to ${error.message}, which you do not have.`;
    return { denial: forbid(`the user has no ${error.message}`, message) };
  }
}
