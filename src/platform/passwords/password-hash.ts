import { type BinaryLike, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createHashQueue, type HashQueue } from './hash-queue.ts';

/** What a hash takes: N is two to the power of `ln`. */
export interface PasswordCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** What OWASP recommends at the least, with 64 MiB of memory for each hash. */
export const recommendedCost: PasswordCost = { ln: 16, r: 8, p: 2 };

const saltBytes = 16;
const keyBytes = 32;
const pattern = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/=]+)\$([\w+/=]+)$/;

export interface PasswordHashes {
  /** Whose turn it is. Whoever tries to sign in waits there. */
  readonly queue: HashQueue;
  /** `$scrypt$ln=16,r=8,p=2$<salt>$<key>`, the last two in base64: a hash says how it was made. */
  hash(password: string): Promise<string>;
  /** Whether a password is the one of a hash. Without a hash the answer is no, and takes as long. */
  isPasswordOf(password: string, hash: string | undefined): Promise<boolean>;
}

/** @param cost of new hashes. An older hash is checked at its own cost. */
export function createPasswordHashes(cost: PasswordCost = recommendedCost): PasswordHashes {
  const queue = createHashQueue();
  return {
    queue,
    hash: async (password) => {
      const salt = randomBytes(saltBytes);
      // Only who has signed in, or has a link with a secret, sets a password.
      const key = await queue.inTurn({ address: undefined, failures: 0 }, () => derive(password, salt, cost));
      const { ln, r, p } = cost;
      return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64')}$${key.toString('base64')}`;
    },
    isPasswordOf: async (password, hash) => {
      const [, ln, r, p, salt = '', key = ''] = pattern.exec(hash ?? '') ?? [];
      const expected = Buffer.from(key, 'base64');
      if (expected.length !== keyBytes) {
        await derive(password, randomBytes(saltBytes), cost);
        return false;
      }
      const own = { ln: Number(ln), r: Number(r), p: Number(p) };
      return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), own), expected);
    },
  };
}

/** The same password is written in several ways in Unicode, depending on the keyboard. */
function derive(password: string, salt: Uint8Array, { ln, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** ln;
  return promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt)(
    password.normalize('NFKC'),
    salt,
    keyBytes,
    {
      ...{ N, r, p },
      maxmem: 256 * N * r,
    },
  );
}
