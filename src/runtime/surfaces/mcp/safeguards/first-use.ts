import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Random } from '#kernel/ports/random';
import type { ApprovalPlatform } from '../../../permissions/signed-approvals.ts';

/** Something that is good for one use. */
interface OneUse {
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
  /** Names the use: asking again for the same one gets the same answer. */
  readonly runId: string;
  /** When it is good for nothing any more, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Tells the first use of something from all others, in every process of the environment: the platform remembers it. */
export interface FirstUses {
  newRunId(): string;
  /** Rejects with `MCP_FIRST_USE_UNKNOWN` when the platform cannot be asked. */
  isFirst(use: OneUse): Promise<boolean>;
}

export function createFirstUses(platform: ApprovalPlatform, random: Random): FirstUses {
  return {
    newRunId: () => random.uuid(),
    isFirst: async ({ digest, runId, expiresAt }) => {
      const spending = { digest, runId, expiresAt: Math.ceil(expiresAt / 1000) };
      const { isFirstRun } = await platform.spendApproval(spending).catch((cause: unknown) => {
        throw unknown(cause);
      });
      return isFirstRun;
    },
  };
}

function unknown(cause: unknown): CloudError {
  return cloudError(
    'MCP_FIRST_USE_UNKNOWN',
    'The platform could not be asked whether this call was made before.',
    'Make the call again in a moment.',
    { cause },
  );
}

/** What a call is about, and who makes it: a confirmation and an idempotency key are good for this only. */
export interface CallSubject {
  readonly userId: number;
  readonly clientId: string;
  readonly tool: string;
  /** The arguments, without those about the call itself. */
  readonly given: Readonly<Record<string, unknown>>;
}
