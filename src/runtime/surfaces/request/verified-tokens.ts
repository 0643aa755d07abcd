import { hash } from 'node:crypto';
import type { Clock } from '#kernel/ports/clock';

/** The claims of a valid token, and its end in seconds since 1970. */
export interface VerifiedToken<Claims> {
  readonly claims: Claims;
  readonly expiresAt: number;
}

const maxTokens = 1000;

/**
 * Verify a token once and remember its claims until it ends: the signature of a token does not change, and checking it is a
 * quarter of a small request. Tokens are kept as digests. One that fails, or is over when it was verified, is not
 * remembered.
 */
export function rememberVerified<Claims>(
  verify: (token: string) => Promise<VerifiedToken<Claims>>,
  clock: Clock,
): (token: string) => Promise<Claims> {
  const known = new Map<string, VerifiedToken<Claims>>();
  return async (token) => {
    const digest = hash('sha256', token);
    const found = known.get(digest);
    if (found && clock.now() < found.expiresAt * 1000) return found.claims;
    known.delete(digest);
    const verified = await verify(token);
    if (clock.now() >= verified.expiresAt * 1000) return verified.claims;
    known.set(digest, verified);
    if (known.size > maxTokens) {
      const [oldest = digest] = known.keys();
      known.delete(oldest);
    }
    return verified.claims;
  };
}
