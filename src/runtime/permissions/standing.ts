import type { EnvironmentPermissions, PlatformUser } from '#contracts/permissions';
import { type AtHand, whenAtHand } from '#kernel/async/at-hand';
import type { Caller } from '../customizer/caller.ts';
import { type Decision, forbid, inDevelopment } from './decision.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';

/** What a caller is checked against, of one age. */
export interface Standing {
  readonly permissions: Exclude<EnvironmentPermissions, true>;
  readonly user: PlatformUser;
  readonly view: PermissionView;
}

export type Rule = (standing: Standing) => AtHand<Decision>;

const isAllowed = Promise.resolve();

/** Throws what a denial comes with. One on what is known is looked at once more, on documents fresh enough for it to stand. */
export function insist(documents: PermissionDocuments, caller: Caller, rule: Rule): Promise<void> {
  const first = judge(documents.trusted, caller, rule);
  if (!(first instanceof Promise) && first.isAllowed) return isAllowed;
  return insistOn(first, () => judge(documents.fresh, caller, rule));
}

async function insistOn(first: AtHand<Decision>, lookAgain: () => AtHand<Decision>): Promise<void> {
  if ((await first).isAllowed) return;
  const decision = await lookAgain();
  if (!decision.isAllowed) throw decision.error;
}

/** What a rule comes to on documents of one age. */
export function judge(view: PermissionView, caller: Caller, rule: Rule): AtHand<Decision> {
  return whenAtHand(standingOf(view, caller), (standing) => ('isAllowed' in standing ? standing : rule(standing)));
}

/** What a caller is checked against, or what holds for them without a check. */
export function standingOf(view: PermissionView, { id }: Pick<Caller, 'id'>): AtHand<Standing | Decision> {
  return whenAtHand(view.environment(), (permissions) => {
    if (permissions === true) return inDevelopment;
    return whenAtHand(view.users(), (users): Standing | Decision => {
      const user = users.get(id);
      if (user) return { permissions, user, view };
      return forbid('the permissions do not name the user', 'The permissions of this environment do not name you.');
    });
  });
}
