import { hash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';

const maxRemembered = 10_000;

/** A request that needs an approval, signed by the platform. */
export interface SignedApproval {
  /** Replaces the body of the request. */
  readonly body: JWTPayload;
  /** Throws `ACTION_APPROVAL_INVALID` the second time: one approval is good for one run. */
  spend(): void;
}

/** Opens signed approvals: HS256 with the secret of the environment, with an expiry. */
export interface SignedApprovals {
  /** Rejects with `ACTION_APPROVAL_EXPIRED` or `ACTION_APPROVAL_INVALID`. */
  open(token: unknown): Promise<SignedApproval>;
}

export function createSignedApprovals(envSecret: string, clock: Clock): SignedApprovals {
  const key = new TextEncoder().encode(envSecret);
  // Digests in the order they were spent. An expired token is refused before anybody looks here.
  const spent = new Set<string>();
  return {
    async open(token) {
      if (typeof token !== 'string') throw approvalInvalid('"signed_approval_request" is not a text.');
      const { errors, jwtVerify } = await import('jose');
      const options = { algorithms: ['HS256'], requiredClaims: ['exp'], currentDate: new Date(clock.now()) };
      const { payload } = await jwtVerify(token, key, options).catch((error: unknown) => {
        throw error instanceof errors.JWTExpired
          ? approvalExpired(error)
          : approvalInvalid('"signed_approval_request" cannot be verified.', error);
      });
      // Without the signature, which has several spellings.
      const digest = hash('sha256', token.slice(0, token.lastIndexOf('.')));
      return {
        body: payload,
        spend: () => {
          if (spent.has(digest)) throw approvalInvalid('The approval was used before.');
          spent.add(digest);
          const [oldest = digest] = spent;
          if (spent.size > maxRemembered) spent.delete(oldest);
        },
      };
    },
  };
}

const nextSteps = ['Ask for a new approval.'] as const;

export function approvalInvalid(message: string, cause?: unknown): CloudError {
  return new CloudError({ code: 'ACTION_APPROVAL_INVALID', message, nextSteps, cause });
}

function approvalExpired(cause: unknown): CloudError {
  return new CloudError({
    code: 'ACTION_APPROVAL_EXPIRED',
    message: 'The approval in "signed_approval_request" has expired.',
    nextSteps,
    cause,
  });
}
