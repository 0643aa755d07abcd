import { sha256Hex } from '#node/system/digest';
import type { TokenService } from '../tokens/token-service.ts';
import type { IdentityRepository } from './identity-repository.ts';

export interface DevelopmentInput {
  readonly project: string;
  readonly envSecret: string;
  readonly user: { readonly name: string; readonly email: string };
}

export interface DevelopmentAccess {
  /** For `Authorization: Bearer`. Tokens of earlier sessions of the same user in the environment stop working. */
  readonly userToken: string;
  readonly userId: number;
  /** The view of the team the user works in: what the agent's session tokens carry as `renderingId`. */
  readonly renderingId: number;
  readonly team: string;
  readonly role: string;
}

const sessionPurpose = 'development session';
const sessionLifetimeMs = 30 * 24 * 60 * 60 * 1000;

/** Make sure that project, development environment and user exist, and sign the user in. */
export async function provisionDevelopment(
  identity: IdentityRepository,
  tokens: TokenService,
  { project, envSecret, user }: DevelopmentInput,
): Promise<DevelopmentAccess> {
  const [firstName = '', ...rest] = user.name.trim().split(/\s+/);
  const { environment, member, rendering } = await identity.provisionDevelopment({
    project,
    secretHash: sha256Hex(envSecret),
    user: { firstName, lastName: rest.join(' '), email: user.email },
  });
  const owner = { userId: member.id, environmentId: environment.id };
  return {
    userToken: await tokens.issue(owner, sessionPurpose, sessionLifetimeMs),
    userId: member.id,
    renderingId: rendering.id,
    team: rendering.team,
    role: member.roleName,
  };
}
