import type { FastifyRequest } from 'fastify';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';

const lifetimeMs = 10 * 60_000;
const mostOpen = 1_000;
const cookieName = 'vendor_joined';

/**
 * Browsers in which somebody has just joined with their password: the console signs them in without asking for it again. They are in the
 * memory of the process only; whoever meets another one gives the password.
 */
export interface JoinedBrowsers {
  /** The cookie for the browser of somebody who has joined. */
  note(userId: number): string;
  /** Who has joined in the browser of a request, once; `undefined` for nobody, and after ten minutes. */
  take(request: Pick<FastifyRequest, 'headers'>): number | undefined;
}

interface JoinedParts {
  readonly clock: Clock;
  readonly random: Random;
  /** What addresses of the platform begin with. */
  readonly origin: () => string;
}

export function createJoinedBrowsers({ clock, random, origin }: JoinedParts): JoinedBrowsers {
  const open = new Map<string, { readonly userId: number; readonly expiresAt: number }>();
  return {
    note(userId) {
      const secret = random.hex(32);
      open.set(sha256Hex(secret), { userId, expiresAt: clock.now() + lifetimeMs });
      for (const oldest of [...open.keys()].slice(0, Math.max(0, open.size - mostOpen))) open.delete(oldest);
      const secure = origin().startsWith('https:') ? '; Secure' : '';
      return `${cookieName}=${secret}; Path=/sign-in; Max-Age=${lifetimeMs / 1000}; HttpOnly; SameSite=Lax${secure}`;
    },
    take({ headers }) {
      const [, secret] = new RegExp(`(?:^|; )${cookieName}=([0-9a-f]{64})(?:;|$)`).exec(headers.cookie ?? '') ?? [];
      if (secret === undefined) return undefined;
      const joined = open.get(sha256Hex(secret));
      open.delete(sha256Hex(secret));
      return joined && joined.expiresAt > clock.now() ? joined.userId : undefined;
    },
  };
}
