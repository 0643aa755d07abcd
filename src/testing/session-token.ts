import type { TestIdentity } from '#contracts/test-platform';

const lifetimeMs = 60 * 60 * 1000;
/** Renewed so long before its end that no request arrives with an expired one. */
const marginMs = 60 * 1000;

/** Makes the session token of the one user of a test, and a new one in time. */
export function createTokenSource(
  authSecret: string,
  { user, role, team, renderingId }: TestIdentity,
): () => Promise<string> {
  const claims = {
    id: user.id,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    team,
    role: role.name,
    permissionLevel: 'admin',
    renderingId,
    tags: {},
    // Agents in other languages read the same claims in snake case.
    first_name: user.firstName,
    last_name: user.lastName,
    permission_level: 'admin',
    rendering_id: renderingId,
    role_id: role.id,
    roleId: role.id,
  };
  let token: string | undefined;
  let expiresMs = 0;
  return async () => {
    if (token !== undefined && Date.now() < expiresMs - marginMs) return token;
    const { SignJWT } = await import('jose');
    expiresMs = Date.now() + lifetimeMs;
    token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime(Math.floor(expiresMs / 1000))
      .sign(new TextEncoder().encode(authSecret));
    return token;
  };
}
