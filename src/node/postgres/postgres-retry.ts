import { isCloudError } from '#kernel/errors/cloud-error';
import { postgresFailure } from './postgres-errors.ts';
import type { PostgresStatements } from './postgres-statements.ts';

const maxAttempts = 3;
const concurrencyStates = new Set(['40001', '40P01']);
const lostNameStates = new Set(['26000', '42P05']);

/**
 * Whether a statement that has changed nothing yet may be tried again. Corrects `statements` when they were the reason.
 */
export function isWorthRetrying(error: unknown, attempt: number, statements: PostgresStatements): boolean {
  const failure = isCloudError(error) ? postgresFailure(error.cause) : undefined;
  if (!failure || attempt >= maxAttempts) return false;
  if (concurrencyStates.has(failure.code)) return true;
  if (hasLostName(error)) {
    statements.giveUp();
    return true;
  }
  // The table has changed since the statement was prepared. The code alone can mean other things.
  if (failure.code === '0A000' && failure.routine === 'RevalidateCachedQuery') {
    statements.startGeneration();
    return true;
  }
  return false;
}

/** Whether the connection does not know a statement by its name. */
export function hasLostName(error: unknown): boolean {
  const failure = isCloudError(error) ? postgresFailure(error.cause) : undefined;
  return failure !== undefined && lostNameStates.has(failure.code);
}
