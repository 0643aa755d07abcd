import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** What OWASP recommends at the least, with 64 MiB of memory for each hash. */
const cost = { N: 2 ** 16, r: 8, p: 2 } as const;
const saltBytes = 16;
const hashBytes = 32;
/** Hashes at the same time in a process: the others wait, so that many tries at once do not take all its memory. */
const maxParallel = 2;

/** A password as `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Whether a password is the one of a hash. Without a hash the answer is no, and takes as long. */
export async function isPasswordOf(password: string, hash: string | undefined): Promise<boolean> {
  const [scheme, N, r, p, salt, expected] = (hash ?? '').split('$');
  if (scheme !== 'scrypt' || salt === undefined || expected === undefined) {
    await derive(password, randomBytes(saltBytes), cost);
    return false;
  }
  const derived = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return timingSafeEqual(derived, Buffer.from(expected, 'base64url'));
}

let running = 0;
const waiting: (() => void)[] = [];

/** The same password is written in several ways in Unicode, depending on the keyboard. */
async function derive(password: string, salt: Uint8Array, options: ScryptOptions): Promise<Buffer> {
  if (running >= maxParallel) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await new Promise((resolve, reject) => {
      const limits = { ...options, maxmem: 128 * 1024 * 1024 };
      scrypt(password.normalize('NFKC'), salt, hashBytes, limits, (error, hash) =>
        error ? reject(error) : resolve(hash),
      );
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
