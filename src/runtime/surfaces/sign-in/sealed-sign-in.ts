import * as z from 'zod';
import type { Clock } from '#kernel/ports/clock';
import type { SignInSecrets } from '#platform-client/index';
import { derivedKey } from './session-tokens.ts';

const lifetimeSeconds = 600;
const secretsSchema: z.ZodType<SignInSecrets> = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
});

/** Keeps the secrets of a sign-in where only this agent, and others with the same secret, can read them. */
export interface SealedSignIns {
  seal(secrets: SignInSecrets): Promise<{ readonly value: string; readonly maxAgeSeconds: number }>;
  /** `undefined` for a value that was not sealed here, was changed, or is older than ten minutes. */
  open(value: string | undefined): Promise<SignInSecrets | undefined>;
}

/** The name of the cookie of one sign-in: several may be under way in one browser. */
export function signInCookie(id: string): string {
  return `service_sign_in_${id.replaceAll(/[^0-9a-f]/g, '')}`;
}

export function createSealedSignIns(authSecret: string, clock: Clock): SealedSignIns {
  const key = new Uint8Array(derivedKey(authSecret, 'sign-in'));
  return {
    async seal(secrets) {
      const { EncryptJWT } = await import('jose');
      const now = Math.floor(clock.now() / 1000);
      const value = await new EncryptJWT({ ...secrets })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(now + lifetimeSeconds)
        .encrypt(key);
      return { value, maxAgeSeconds: lifetimeSeconds };
    },
    async open(value) {
      if (value === undefined) return undefined;
      const { jwtDecrypt } = await import('jose');
      const options = { requiredClaims: ['exp'], currentDate: new Date(clock.now()) };
      const opened = await jwtDecrypt(value, key, options).catch(() => undefined);
      return secretsSchema.safeParse(opened?.payload).data;
    },
  };
}
