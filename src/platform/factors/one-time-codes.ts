import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';

/** What an authenticator app knows of an account. */
export interface AppSecret {
  /** In base32, as people type it. */
  readonly secret: string;
  /** What the app reads from the picture. */
  readonly uri: string;
}

/** RFC 6238 as every app has it: SHA-1, six digits, thirty seconds. */
async function totpOf(secret: string, issuer: string, label: string) {
  const { Secret, TOTP } = await import('otpauth');
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 });
}

const secretBytes = 20;

export async function makeAppSecret(random: Random): Promise<string> {
  const { Secret } = await import('otpauth');
  return Secret.fromHex(random.hex(secretBytes)).base32;
}

/** @param host of the platform, which the app shows beside the account. */
export async function appSecretOf(secret: string, host: string, email: string): Promise<AppSecret> {
  return { secret, uri: (await totpOf(secret, host, email)).toString() };
}

/** The step of time that a code is of: the one of now, or the one before or after. `undefined` for any other code. */
export async function stepOfCode(secret: string, typed: string, now: number): Promise<number | undefined> {
  const token = typed.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const totp = await totpOf(secret, '', '');
  const delta = totp.validate({ token, timestamp: now, window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}

/** Without letters and digits that look alike: 32 of them, so that each byte draws one as likely as the others. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789';
const codeLength = 16;
const codeCount = 10;

/** Recovery codes: 80 bits each, in groups that people can copy by hand. */
export function makeRecoveryCodes(random: Random): readonly string[] {
  return Array.from({ length: codeCount }, () => {
    const bytes = Buffer.from(random.hex(codeLength), 'hex');
    const text = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
    return (text.match(/.{4}/g) ?? []).join('-');
  });
}

/** The same for every way to type a code. */
export function hashOfCode(typed: string): string {
  const code = typed
    .toLowerCase()
    .replaceAll('o', '0')
    .replaceAll(/[^a-z0-9]/g, '');
  return sha256Hex(`recovery code ${code}`);
}
