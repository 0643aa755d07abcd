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

/** What a rule comes to on what is known; when it denies, once more on documents fresh enough for the denial to stand. */
async function settle(documents: PermissionDocuments, caller: Caller, rule: Rule): Promise<Decision> {
  const first = await judge(documents.trusted, caller, rule);
  return first.isAllowed ? first : judge(documents.fresh, caller, rule);
}

/** Throws what a denial comes with. */
export async function insist(documents: PermissionDocuments, caller: Caller, rule: Rule): Promise<void> {
  const decision = await settle(documents, caller, rule);
  if (!decision.isAllowed) throw decision.error;
}

async function judge(view: PermissionView, caller: Caller, rule: Rule): Promise<Decision> {
  const permissions = await view.environment();
  if (permissions === true) return inDevelopment;
  const user = (await view.users()).get(caller.id);
  if (!user)
    return forbid('the permissions do not name the user', 'The permissions of this environment do not name you.');
  return rule({ permissions, user, view });
}
