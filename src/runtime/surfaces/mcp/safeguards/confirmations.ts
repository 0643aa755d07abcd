import { hash } from 'node:crypto';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { derivedKey } from '../../sign-in/session-tokens.ts';
import type { CallSubject, FirstUses } from './first-use.ts';

const algorithm = 'HS256';
const tokenType = 'confirmation+jwt';
const lifetimeSeconds = 600;

/** Who confirms: the person that the client asks, or the caller, who makes the call again. */
type ConfirmedBy = 'person' | 'caller';

/** The question that a confirmation answers. */
export interface ConfirmationQuestion {
  readonly subject: CallSubject;
  readonly by: ConfirmedBy;
}

interface NewConfirmation {
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** A confirmation that was made by this agent, for this call. */
export interface OpenConfirmation {
  /** To be called right before the call is carried out. Rejects with `MCP_CONFIRMATION_INVALID`, `MCP_FIRST_USE_UNKNOWN`. */
  redeem(preview: unknown): Promise<void>;
}

/**
 * Confirmations of calls: signed, bound to the person, the client, the tool, the arguments and what the person was shown, good
 * for ten minutes and one use.
 */
export interface Confirmations {
  make(question: ConfirmationQuestion, preview: unknown): Promise<NewConfirmation>;
  /** Rejects with `MCP_CONFIRMATION_INVALID`, `MCP_CONFIRMATION_EXPIRED`. */
  open(token: string, question: ConfirmationQuestion): Promise<OpenConfirmation>;
}

export function createConfirmations(authSecret: string, uses: FirstUses, clock: Clock, random: Random): Confirmations {
  const key = new Uint8Array(derivedKey(authSecret, 'mcp confirmation'));
  return {
    make: async (question, preview) => {
      const { SignJWT } = await import('jose');
      const issuedAt = Math.floor(clock.now() / 1000);
      const expiresAt = issuedAt + lifetimeSeconds;
      const token = await new SignJWT({ of: digestOf(question), preview: digestOf(preview) })
        .setProtectedHeader({ alg: algorithm, typ: tokenType })
        .setJti(random.uuid())
        .setExpirationTime(expiresAt)
        .sign(key);
      return { token, expiresAt: new Date(expiresAt * 1000).toISOString() };
    },
    open: async (token, question) => {
      const { errors, jwtVerify } = await import('jose');
      const options = {
        algorithms: [algorithm],
        typ: tokenType,
        requiredClaims: ['exp'],
        currentDate: new Date(clock.now()),
      };
      const { payload } = await jwtVerify(token, key, options).catch((error: unknown) => {
        throw error instanceof errors.JWTExpired ? expired(error) : invalid('It was not made by this agent.', error);
      });
      if (payload['of'] !== digestOf(question)) {
        throw invalid('It was made for another person or client, or for a call with other arguments.');
      }
      const { exp = 0 } = payload;
      // A signature has several spellings.
      const digest = hash('sha256', token.slice(0, token.lastIndexOf('.')));
      return {
        redeem: async (preview) => {
          if (payload['preview'] !== digestOf(preview)) throw invalid('The records have changed since.');
          const use = { digest, runId: uses.newRunId(), expiresAt: exp * 1000 };
          if (!(await uses.isFirst(use))) throw invalid('It was used before.');
        },
      };
    },
  };
}

function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}

const nextSteps = ['Make the call without the confirmation, and have the person confirm again.'] as const;

function invalid(reason: string, cause?: unknown): CloudError {
  const message = `The confirmation does not hold. ${reason} Nothing was done.`;
  return cloudError('MCP_CONFIRMATION_INVALID', message, nextSteps, { cause });
}

function expired(cause: unknown): CloudError {
  const message = 'The confirmation has expired. Nothing was done.';
  return cloudError('MCP_CONFIRMATION_EXPIRED', message, nextSteps, { cause });
}

/** The person was asked, and did not agree. */
export function declined(): CloudError {
  return cloudError(
    'MCP_CONFIRMATION_DECLINED',
    'The person did not confirm the call. Nothing was done.',
    'Ask the person what they want instead.',
  );
}
