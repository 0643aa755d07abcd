import { type AgentTokenClaims, agentTokenClaimsSchema } from '#contracts/agent-token';
import type { EnvironmentRecord, IdentityRepository, MemberRecord } from '../identity/identity-repository.ts';
import { type Place, placeOf } from './place-of-person.ts';
import type { RightsRepository } from './rights-repository.ts';

export interface ClaimSources {
  readonly identity: Pick<IdentityRepository, 'findMember' | 'findRenderingOfTeam'>;
  readonly rights: Pick<RightsRepository, 'findDocument' | 'listMemberships'>;
}

/** A member as the session token of an agent names them; `undefined` for nobody who has a place in the environment. */
export async function findClaims(
  environment: EnvironmentRecord,
  userId: number,
  { identity, rights }: ClaimSources,
): Promise<AgentTokenClaims | undefined> {
  const member = await identity.findMember(environment.projectId, userId);
  const rendering = member && (await identity.findRenderingOfTeam(environment.id, member.team));
  if (!rendering) return undefined;
  const { roles, teams, tags } = await placeIn(environment, member, rights);
  return agentTokenClaimsSchema.parse({
    ...{ ...member, role: roles[0].name, team: teams[0].name, tags, renderingId: rendering.id },
    ...(roles.length === 1 ? {} : { roles: roles.map(({ name }) => name) }),
    ...(teams.length === 1 ? {} : { teams: teams.map(({ name }) => name) }),
  });
}

/** What a member has in an environment now. */
export async function placeIn(
  { id, projectId }: Pick<EnvironmentRecord, 'id' | 'projectId'>,
  member: MemberRecord,
  rights: ClaimSources['rights'],
): Promise<Place> {
  const [document, memberships] = await Promise.all([
    rights.findDocument(id),
    rights.listMemberships(projectId, member.id),
  ]);
  return placeOf(id, member, memberships, document);
}
