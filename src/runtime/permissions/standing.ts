import type { EnvironmentPermissions, PlatformUser } from '#contracts/permissions';
import type { Caller } from '../plan/caller.ts';
import { type Decision, forbid, inDevelopment } from './decision.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';

/** What a caller is checked against, of one age. */
export interface Standing {
  readonly permissions: Exclude<EnvironmentPermissions, true>;
  readonly user: PlatformUser;
  readonly view: PermissionView;
}

export type Rule = (standing: Standing) => Decision | Promise<Decision>;

/** Throws what a denial comes with. One on what is known is looked at once more, on documents fresh enough for it to stand. */
export async function insist(documents: PermissionDocuments, caller: Caller, rule: Rule): Promise<void> {
  const first = await judge(documents.trusted, caller, rule);
  if (first.isAllowed) return;
  const decision = await judge(documents.fresh, caller, rule);
  if (!decision.isAllowed) throw decision.error;
}

/** What a rule comes to on documents of one age. */
export async function judge(view: PermissionView, caller: Caller, rule: Rule): Promise<Decision> {
  const standing = await standingOf(view, caller);
  return 'isAllowed' in standing ? standing : rule(standing);
}

/** What a caller is checked against, or what holds for them without a check. */
export async function standingOf(view: PermissionView, { id }: Pick<Caller, 'id'>): Promise<Standing | Decision> {
  const permissions = await view.environment();
  if (permissions === true) return inDevelopment;
  const user = (await view.users()).get(id);
  if (user) return { permissions, user, view };
  return forbid('the permissions do not name the user', 'The permissions of this environment do not name you.');
}
