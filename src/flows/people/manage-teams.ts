import type { Role, Team } from '#contracts/people';
import type { FlowContext } from '../flow-context.ts';
import { connectToPeople } from './manage-people.ts';

export interface ListedTeams {
  readonly project: string;
  /** By name. */
  readonly teams: readonly Team[];
}

export interface ListedRoles {
  readonly project: string;
  /** By name. */
  readonly roles: readonly Role[];
}

export interface ChangedTeam {
  readonly project: string;
  readonly name: string;
}

interface NamedTeam {
  readonly folder: string;
  readonly name: string;
}

export async function listTeams(context: FlowContext, folder: string): Promise<ListedTeams> {
  const { client, project } = await connectToPeople(context, folder);
  return { project, teams: await client.teams() };
}

export async function listRoles(context: FlowContext, folder: string): Promise<ListedRoles> {
  const { client, project } = await connectToPeople(context, folder);
  return { project, roles: await client.roles() };
}

/** Create a team, which stays until somebody removes it. */
export async function createTeam(context: FlowContext, { folder, name }: NamedTeam): Promise<ChangedTeam> {
  const { client, project } = await connectToPeople(context, folder);
  await client.createTeam(name);
  return { project, name };
}

/** Remove a team that nobody needs. */
export async function removeTeam(context: FlowContext, { folder, name }: NamedTeam): Promise<ChangedTeam> {
  const { client, project } = await connectToPeople(context, folder);
  await client.removeTeam(name);
  return { project, name };
}
