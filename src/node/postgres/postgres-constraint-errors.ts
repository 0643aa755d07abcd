import type { CloudError } from '#kernel/errors/cloud-error';
import { constraintViolated } from '../database/database-errors.ts';

const othersRefer = 'a foreign key: other records refer to this one';

const rules: Readonly<Record<string, string>> = {
  '23001': othersRefer,
  '23502': 'a not-null rule: it must have a value',
  '23503': 'a foreign key: the record it refers to does not exist, or others refer to this one',
  '23505': 'a unique rule: another record has it already',
  '23514': 'a check rule of the table',
  '44000': 'the check of a view, which would not show it',
  '23P01': 'an exclusion rule: it conflicts with another record',
};

/**
 * The error of a violated constraint (SQLSTATE class 23 and 44000).
 *
 * @param fields the columns of the constraint; empty when they are not known.
 */
export function constraintError(
  { code, table }: { readonly code: string; readonly table?: string | undefined },
  fields: readonly string[],
  cause: unknown,
): CloudError {
  // The constraint is one of the table that refers to this one.
  const safeDetails = code === '23001' ? { sqlState: code, referringTable: table } : { sqlState: code };
  return constraintViolated({ rule: rules[code], fields, safeDetails, cause });
}
