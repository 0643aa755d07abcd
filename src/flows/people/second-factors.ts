import type { Role } from '#contracts/people';
import { type FactorList, factorPagePath } from '#contracts/second-factor';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { connectToPeople, findMember } from './manage-people.ts';

export interface ListedFactors extends FactorList {
  /** Where the person adds one. */
  readonly page: string;
}

interface OneFactor {
  readonly folder: string;
  readonly id: number;
}

/** What the person of the token signs in with beside a password. */
export async function listFactors(context: FlowContext, folder: string): Promise<ListedFactors> {
  const { client, url } = await connectToPeople(context, folder);
  return { ...(await client.factors()), page: pageOf(url) };
}

export async function renameFactor(
  context: FlowContext,
  { folder, id, name }: OneFactor & { readonly name: string },
): Promise<ListedFactors> {
  const { client, url } = await connectToPeople(context, folder);
  return { ...(await client.renameFactor(id, name)), page: pageOf(url) };
}

/** Rejects with `SIGN_IN_TOO_OLD`, and with `REQUEST_CONFLICT` for the last one that a role demands. */
export async function removeFactor(context: FlowContext, { folder, id }: OneFactor): Promise<ListedFactors> {
  const { client, url } = await connectToPeople(context, folder);
  await client.removeFactor(id);
  return { ...(await client.factors()), page: pageOf(url) };
}

function pageOf(serverUrl: string): string {
  return new URL(factorPagePath, serverUrl).href;
}

interface RoleChange {
  readonly folder: string;
  readonly role: string;
  readonly needsSecondFactor: boolean | undefined;
}

export interface ChangedRole extends Role {
  readonly project: string;
}

/** Say whether the people of a role need a second factor. */
export async function changeRole(
  context: FlowContext,
  { folder, role, needsSecondFactor }: RoleChange,
): Promise<ChangedRole> {
  if (needsSecondFactor === undefined) {
    throw cloudError('USAGE_INVALID', 'Nothing is to change.', 'Say what: --second-factor or --no-second-factor.');
  }
  const { client, project } = await connectToPeople(context, folder);
  return { project, ...(await client.changeRole(role, { needsSecondFactor })) };
}

/** Somebody whose second factors are to be reset. */
export interface FactorsToReset {
  readonly email: string;
  /** Where: a project, or a store. */
  readonly place: string;
}

export interface ResetFactors extends FactorsToReset {
  readonly isReset: boolean;
}

type Confirm = (person: FactorsToReset) => Promise<boolean>;

/** Reset the second factors of another member, whose sessions end. */
export async function resetFactors(
  context: FlowContext,
  { folder, email: asked, confirm }: { readonly folder: string; readonly email: string; readonly confirm: Confirm },
): Promise<ResetFactors> {
  const { client, project } = await connectToPeople(context, folder);
  const { id, email } = await findMember(client, project, asked);
  const person = { email, place: project };
  if (!(await confirm(person))) return { ...person, isReset: false };
  await client.resetFactors(id);
  return { ...person, isReset: true };
}
