import path from 'node:path';
import type { PermissionFile } from '#contracts/permission-file';
import type { RefusedByRights, SuggestedRights } from '#contracts/rights';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { FlowContext } from '../flow-context.ts';
import {
  compareWithFile,
  type RightsComparison,
  type RightsTarget,
  readRights,
} from '../platform-access/rights-of-environment.ts';

export interface ListPermissionsInput extends RightsTarget {
  /** Show only this role. */
  readonly role: string | undefined;
}

export interface ListedPermissions {
  readonly environment: string;
  readonly revision: number;
  /** `null` where nobody has set any rights. */
  readonly roles: PermissionFile['roles'] | null;
}

/** What each role may do in an environment. */
export async function listPermissions(context: FlowContext, input: ListPermissionsInput): Promise<ListedPermissions> {
  const { environment, revision, document } = await readRights(context, input);
  const { role } = input;
  if (!document || role === undefined) return { environment, revision, roles: document?.roles ?? null };
  const found = Object.hasOwn(document.roles, role) ? document.roles[role] : undefined;
  if (!found) throw unknownRole(role, environment, Object.keys(document.roles));
  return { environment, revision, roles: { [role]: found } };
}

export function unknownRole(role: string, environment: string, names: readonly string[]): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The rights of "${environment}" have no role "${role}".${didYouMean(nearestName(role, names))}`,
    names.length > 0 ? `Name one of: ${names.join(', ')}.` : 'Add the role to permissions.json, and apply it.',
  );
}

export interface ComparePermissionsInput extends RightsTarget {
  /** Days of the log that the file is held against; `undefined` for none. */
  readonly days?: number | undefined;
}

export interface ComparedPermissions extends RightsComparison {
  /** What people did and the file would have refused; absent where nobody asked. */
  readonly refused?: RefusedByRights & { readonly days: number };
}

/** Say what applying the `permissions.json` of the project would change in an environment. */
export async function comparePermissions(
  context: FlowContext,
  { days, ...target }: ComparePermissionsInput,
): Promise<ComparedPermissions> {
  const { file, rights, comparison } = await compareWithFile(context, target);
  if (days === undefined) return comparison;
  return { ...comparison, refused: { ...(await rights.client.refusedByRights(file, days)), days } };
}

export interface SuggestPermissionsInput extends RightsTarget {
  /** How many days to look back. */
  readonly days: number;
  /** File that the proposal is written to. */
  readonly output: string | undefined;
}

export interface SuggestedPermissions extends SuggestedRights {
  readonly environment: string;
  readonly days: number;
  /** The file that was written; `null` for none. */
  readonly file: string | null;
}

/** Propose the least rights that the last days used. Rejects with `USAGE_INVALID` where nobody has set any rights. */
export async function suggestPermissions(
  context: FlowContext,
  { days, output, ...target }: SuggestPermissionsInput,
): Promise<SuggestedPermissions> {
  const { client, environment } = await readRights(context, target);
  const suggested = await client.suggestedRights(days);
  if (!suggested.document) throw nothingSet(environment);
  const file = output === undefined ? null : path.resolve(target.folder, output);
  if (file !== null) await context.fs.writeAtomically(file, `${JSON.stringify(suggested.document, null, 2)}\n`);
  return { ...suggested, environment, days, file };
}

export function nothingSet(environment: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `"${environment}" has no rights yet that could be changed.`,
    'Write permissions.json, then: vendor-cloud permissions apply',
  );
}
