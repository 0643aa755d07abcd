import type { TestIdentity } from '#contracts/test-platform';
import { systemClock } from '#node/system/system-clock';

const lifetimeMs = 60 * 60 * 1000;
/** Renewed so long before its end that no request arrives with an expired one. */
const marginMs = 60 * 1000;

/** The person that sends the requests of a client. */
export interface TestUser {
  id(): Promise<number>;
  /** A session token that is good for a while. */
  token(): Promise<string>;
}

/** @param find Looks the person up; called before the first request, and never again once it has succeeded. */
export function createTestUser(authSecret: string, find: () => Promise<TestIdentity>): TestUser {
  let found: TestIdentity | undefined;
  let token: string | undefined;
  let expiresMs = 0;
  const identity = async () => {
    found ??= await find();
    return found;
  };
  return {
    id: async () => (await identity()).user.id,
    token: async () => {
      // The time of the machine, whatever date the test pretends: the agent may be another process.
      const now = systemClock.now();
      if (token !== undefined && now < expiresMs - marginMs) return token;
      expiresMs = now + lifetimeMs;
      token = await sign(authSecret, await identity(), expiresMs);
      return token;
    },
  };
}

async function sign(authSecret: string, identity: TestIdentity, expiresMs: number): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT(claimsOf(identity))
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt(Math.floor((expiresMs - lifetimeMs) / 1000))
    .setExpirationTime(Math.floor(expiresMs / 1000))
    .sign(new TextEncoder().encode(authSecret));
}

function claimsOf({ user, role, team, roles, teams, renderingId, permissionLevel, tags }: TestIdentity) {
  return {
    id: user.id,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    team,
    role: role.name,
    roleId: role.id,
    ...(roles.length > 1 ? { roles } : {}),
    ...(teams.length > 1 ? { teams } : {}),
    permissionLevel,
    renderingId,
    tags,
    // Agents in other languages read the same claims in snake case.
    first_name: user.firstName,
    last_name: user.lastName,
    permission_level: permissionLevel,
    rendering_id: renderingId,
    role_id: role.id,
  };
}
