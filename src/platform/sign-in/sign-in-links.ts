import { type SignInLink, signInLinkPath } from '#contracts/sign-in';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import { isSameSecret } from '#node/system/secrets';

const lifetimeMs = 60_000;

/** The one-time links that sign a browser in at the platform of one developer. They are in the memory of the process only. */
export interface SignInLinks {
  /** A new link for somebody. The one before is worth nothing from then on. */
  make(userId: number): SignInLink;
  /** The person that a link signs in, which uses it up; `undefined` for one that is unknown, was used, replaced or has expired. */
  use(secret: string): number | undefined;
}

export interface SignInLinkParts {
  readonly clock: Clock;
  readonly random: Random;
  /** What links begin with. */
  readonly origin: () => string;
}

export function createSignInLinks({ clock, random, origin }: SignInLinkParts): SignInLinks {
  let open: { readonly secretHash: string; readonly userId: number; readonly expiresAt: number } | undefined;
  return {
    make(userId) {
      const secret = random.hex(32);
      const expiresAt = clock.now() + lifetimeMs;
      open = { secretHash: sha256Hex(secret), userId, expiresAt };
      return { link: `${origin()}${signInLinkPath}#${secret}`, expiresAt: new Date(expiresAt).toISOString() };
    },
    use(secret) {
      if (!open || !isSameSecret(sha256Hex(secret), open.secretHash)) return undefined;
      const { userId, expiresAt } = open;
      // Nothing is awaited before this, so that of two requests only one has the link.
      open = undefined;
      return expiresAt > clock.now() ? userId : undefined;
    },
  };
}
