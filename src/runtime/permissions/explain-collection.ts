import type { PlatformUser } from '#contracts/permissions';
import type { Caller } from '../customizer/caller.ts';
import { conditionInWords } from '../query/condition-in-words.ts';
import type { CollectionRight } from './authoriser.ts';
import { decideRight } from './collection-rule.ts';
import { judge, ownEntry } from './decision.ts';
import type { ExplainedPermissions, ExplainedRight } from './explained-permissions.ts';
import type { PermissionView } from './permission-documents.ts';
import { isEditor } from './permission-level.ts';
import { scopeIn } from './scope-rule.ts';

const rights: readonly CollectionRight[] = ['browse', 'read', 'edit', 'add', 'delete', 'export'];
const renderingUnknown = { unknownBecause: 'it depends on the rendering: name one with --rendering' };

/** The rights of a caller on a collection, decided as for a request. */
export function explainRights(view: PermissionView, caller: Caller, collection: string): Promise<ExplainedRight[]> {
  return Promise.all(
    rights.map(async (right) => {
      const { isAllowed, because } = await judge(view, caller, (standing) => decideRight(standing, collection, right));
      return { right, isAllowed, because };
    }),
  );
}

/** The restriction of a caller on a collection, filled in for them. */
export async function explainScope(
  view: PermissionView,
  caller: Caller,
  collection: string,
  isRenderingKnown: boolean,
): Promise<ExplainedPermissions['scope']> {
  if ((await view.environment()) === true) {
    return { isAllowed: true, because: 'a development environment restricts nothing', condition: null };
  }
  if (!isRenderingKnown) return renderingUnknown;
  const scope = await scopeIn(view, caller, collection);
  if ('denial' in scope) return { isAllowed: false, because: scope.denial.because, condition: null };
  if (!scope.tree)
    return { isAllowed: true, because: 'the rendering has no scope for the collection', condition: null };
  return { isAllowed: true, because: 'the scope of the rendering', condition: conditionInWords(scope.tree) };
}

/** The queries of segments that a caller may run; `null` for any. */
export async function explainSegments(
  view: PermissionView,
  user: PlatformUser,
  renderingId: number | undefined,
  collection: string,
): Promise<readonly string[] | null> {
  if ((await view.environment()) === true || isEditor(user)) return null;
  if (renderingId === undefined) return [];
  const entry = ownEntry((await view.rendering(renderingId)).collections, collection);
  if (!entry) return [];
  return [
    ...entry.segments,
    ...entry.liveQuerySegments.map(({ connectionName, query }) => `${connectionName}: ${query}`),
  ];
}
