import { hash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { Spending, SpendingAnswer } from '#contracts/spent-approvals';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';

/** The last second of the year 9999: an approval may name an end that is later than any date. */
const latestEndSeconds = 253_402_300_799;

/** Remembers which approvals were used. The platform does, for all agents of an environment. */
export interface ApprovalPlatform {
  spendApproval(spending: Spending): Promise<SpendingAnswer>;
}

/** A request that needs an approval, signed by the platform. */
export interface SignedApproval {
  /** Replaces the body of the request. */
  readonly body: JWTPayload;
  /**
   * To be called right before the run. Rejects with `ACTION_APPROVAL_INVALID` when the approval was used before: it is good
   * for one run. Rejects with `ACTION_APPROVAL_UNCONFIRMED` when the platform cannot be asked.
   */
  spend(): Promise<void>;
}

/** Opens signed approvals: HS256 with the secret of the environment, with an expiry. */
export interface SignedApprovals {
  /** Rejects with `ACTION_APPROVAL_EXPIRED` or `ACTION_APPROVAL_INVALID`. */
  open(token: unknown): Promise<SignedApproval>;
}

export function createSignedApprovals(
  envSecret: string,
  platform: ApprovalPlatform,
  clock: Clock,
  random: Random,
): SignedApprovals {
  const key = new TextEncoder().encode(envSecret);
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
      const { exp = latestEndSeconds } = payload;
      const spending: Spending = {
        // The token without its signature, because a signature has several spellings.
        digest: hash('sha256', token.slice(0, token.lastIndexOf('.'))),
        runId: random.uuid(),
        expiresAt: Math.min(Math.ceil(exp), latestEndSeconds),
      };
      return {
        body: payload,
        spend: async () => {
          const { isFirstRun } = await platform.spendApproval(spending).catch((error: unknown) => {
            throw approvalUnconfirmed(error);
          });
          if (!isFirstRun) throw approvalInvalid('The approval was used before.');
        },
      };
    },
  };
}

const nextSteps = ['Ask for a new approval.'] as const;

export function approvalInvalid(message: string, cause?: unknown): CloudError {
  return cloudError('ACTION_APPROVAL_INVALID', message, nextSteps, { cause });
}

function approvalExpired(cause: unknown): CloudError {
  return cloudError('ACTION_APPROVAL_EXPIRED', 'The approval in "signed_approval_request" has expired.', nextSteps, {
    cause,
  });
}

function approvalUnconfirmed(cause: unknown): CloudError {
  return cloudError(
    'ACTION_APPROVAL_UNCONFIRMED',
    'The platform could not be asked whether the approval was used before.',
    'Send the request again in a moment: the approval may still be good.',
    { cause },
  );
}
