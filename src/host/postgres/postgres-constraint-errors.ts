import type { CloudError } from '#kernel/errors/cloud-error';
import { constraintViolated } from '../database/database-errors.ts';

const rules: Readonly<Record<string, string>> = {
  '23502': 'a not-null rule: it must have a value',
  '23503': 'a foreign key: the record it refers to does not exist, or others refer to this one',
  '23505': 'a unique rule: another record has it already',
  '23514': 'a check rule of the table',
  '23P01': 'an exclusion rule: it conflicts with another record',
};

/**
 * The error of a violated constraint (SQLSTATE class 23).
 *
 * @param fields the columns of the constraint; empty when they are not known.
 */
export function constraintError(
  { code }: { readonly code: string },
  fields: readonly string[],
  cause: unknown,
): CloudError {
  return constraintViolated({ rule: rules[code], fields, safeDetails: { sqlState: code }, cause });
}
