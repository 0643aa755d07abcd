import type { EnvironmentPermissions, PlatformUser, Right } from '#contracts/permissions';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Caller } from '../plan/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { Authoriser, CollectionRight } from './authoriser.ts';
import { fillPlaceholders, UnknownPlaceholder } from './current-user.ts';
import {
  createPermissionDocuments,
  denialAgeMs,
  type PermissionDocuments,
  trustedAgeMs,
} from './permission-documents.ts';
import type { PermissionSource } from './permission-source.ts';
import { parseScope } from './scope.ts';

type Permissions = Exclude<EnvironmentPermissions, true>;

/** What a caller is checked against, of one age. */
interface Standing {
  readonly permissions: Permissions;
  readonly user: PlatformUser;
}

/**
 * An authoriser that goes by the platform's permissions. They are fetched when first needed and kept for 15 minutes;
 * before it denies, it looks again at documents older than a few seconds. A development environment allows everything.
 */
export function createAuthoriser(source: PermissionSource, clock: Clock): Authoriser {
  const documents = createPermissionDocuments(source, clock);
  return {
    require: (caller, collection, right) =>
      decide(documents, caller, (standing) => collectionDenial(standing, collection, right)),
    requireReadOn: async (caller, collections) => {
      const names = [...collections];
      await decide(documents, caller, (standing) => {
        for (const name of names) {
          const denial = collectionDenial(standing, name, 'read');
          if (denial) return denial;
        }
        return undefined;
      });
    },
    requireTrigger: (caller, collection, action) =>
      decide(documents, caller, (standing) => triggerDenial(standing, collection, action)),
    scopeOf: (caller, collection) => scopeOf(documents, caller, collection),
  };
}

/** Run a check on what is known; when it denies, once more on documents fresh enough for the denial to stand. */
async function decide(
  documents: PermissionDocuments,
  caller: Caller,
  check: (standing: Standing) => CloudError | undefined,
): Promise<void> {
  const first = await judge(documents, caller, check, trustedAgeMs);
  if (first === undefined) return;
  const denial = await judge(documents, caller, check, denialAgeMs);
  if (denial) throw denial;
}

async function judge(
  documents: PermissionDocuments,
  caller: Caller,
  check: (standing: Standing) => CloudError | undefined,
  maxAgeMs: number,
): Promise<CloudError | undefined> {
  const permissions = await documents.environment(maxAgeMs);
  if (permissions === true) return undefined;
  const user = await documents.user(caller.id, maxAgeMs);
  return user ? check({ permissions, user }) : forbidden('The permissions of this environment do not name you.');
}

function collectionDenial({ permissions, user }: Standing, collection: string, right: CollectionRight) {
  const entry = ownEntry(permissions.collections, collection);
  if (entry && holds(entry.collection[`${right}Enabled`], user.roleId)) return undefined;
  return forbidden(`You lack the right to ${right} the collection "${collection}".`);
}

function triggerDenial({ permissions, user }: Standing, collection: string, action: string) {
  const entry = ownEntry(permissions.collections, collection);
  const rights = entry && ownEntry(entry.actions, action);
  if (!rights || !holds(rights.triggerEnabled, user.roleId)) {
    return new CloudError({
      code: 'ACTION_TRIGGER_FORBIDDEN',
      message: `You lack the right to trigger the action "${action}" of the collection "${collection}".`,
      nextSteps: ['Ask an administrator of the project for the right.'],
    });
  }
  const isConditional = rights.triggerConditions.some(({ roleId }) => roleId === user.roleId);
  if (isConditional || holds(rights.approvalRequired, user.roleId)) {
    return new CloudError({
      code: 'ACTION_APPROVAL_REQUIRED',
      message: `Your role may trigger the action "${action}" of "${collection}" only with an approval or on certain records, which this agent cannot check.`,
      nextSteps: ['Ask somebody whose role triggers it unconditionally.'],
      ...(rights.userApprovalEnabled === true || rights.userApprovalEnabled === false
        ? {}
        : { details: { roleIdsAllowedToApprove: rights.userApprovalEnabled.roles } }),
    });
  }
  return undefined;
}

async function scopeOf(
  documents: PermissionDocuments,
  caller: Caller,
  collection: string,
): Promise<ConditionTree | undefined> {
  if ((await documents.environment(trustedAgeMs)) === true) return undefined;
  for (const maxAgeMs of [trustedAgeMs, denialAgeMs]) {
    const user = await documents.user(caller.id, maxAgeMs);
    const rendering = await documents.rendering(caller.renderingId, maxAgeMs);
    const entry = ownEntry(rendering.collections, collection);
    if (!user || !entry) continue;
    if (entry.scope === null || entry.scope === undefined) return undefined;
    try {
      return parseScope(fillPlaceholders(entry.scope, user, rendering.team), collection);
    } catch (error) {
      if (!(error instanceof UnknownPlaceholder)) throw error;
      throw forbidden(`The scope of "${collection}" refers to ${error.message}, which you do not have.`);
    }
  }
  throw forbidden(`Your view of the project does not name the collection "${collection}".`);
}

function holds(right: Right, roleId: number): boolean {
  return typeof right === 'boolean' ? right : right.roles.includes(roleId);
}

/** A collection may be called `constructor`: only what the document itself says counts. */
function ownEntry<Value>(entries: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function forbidden(message: string): CloudError {
  return new CloudError({
    code: 'REQUEST_FORBIDDEN',
    message,
    nextSteps: ['Ask an administrator of the project for the right.'],
  });
}
