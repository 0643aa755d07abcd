import { type AgentTokenClaims, agentTokenClaimsSchema } from '#contracts/agent-token';
import type { EnvironmentRecord, IdentityRepository, MemberRecord } from '../identity/identity-repository.ts';
import { personIn } from './derive-permissions.ts';
import type { RightsRepository } from './rights-repository.ts';

export interface ClaimSources {
  readonly identity: Pick<IdentityRepository, 'findMember' | 'findRenderingOfTeam'>;
  readonly rights: Pick<RightsRepository, 'findDocument'>;
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
  const claims = { ...member, ...(await placeIn(environment, member, rights)), renderingId: rendering.id };
  return agentTokenClaimsSchema.parse(claims);
}

/** The role and the tags of a member in an environment. */
export async function placeIn(
  { id }: Pick<EnvironmentRecord, 'id'>,
  { email, roleName }: MemberRecord,
  rights: ClaimSources['rights'],
): Promise<Pick<AgentTokenClaims, 'role' | 'tags'>> {
  const known = await rights.findDocument(id);
  const { role = roleName, tags } = known ? personIn(known, email) : { role: undefined, tags: {} };
  return { role, tags };
}
