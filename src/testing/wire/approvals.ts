import { systemClock } from '#node/system/system-clock';

/** Signs requests as the platform does when somebody approves them. */
export interface Approvals {
  /** A JWT that replaces the body of the request; good for one run, in `expiresInSeconds` from now at most. */
  sign(attributes: Readonly<Record<string, unknown>>, expiresInSeconds: number): Promise<string>;
}

export function createApprovals(envSecret: string): Approvals {
  const key = new TextEncoder().encode(envSecret);
  return {
    sign: async (attributes, expiresInSeconds) => {
      const { SignJWT } = await import('jose');
      const end = Math.floor(systemClock.now() / 1000) + expiresInSeconds;
      return new SignJWT({ data: { attributes } })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(end)
        .sign(key);
    },
  };
}
