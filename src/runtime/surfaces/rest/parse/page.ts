import { invalidRequest } from '#kernel/errors/request-errors';
import type { Page } from '../../../query/record-query.ts';
import type { ParameterLookup } from '../../request/parameter-lookup.ts';

const defaultSize = 15;
const maxSize = 10_000;

/** `page[size]` and `page[number]`, which counts from 1. Throws `REQUEST_INVALID` unless both are positive, and the size is not too much. */
export function parsePage(lookup: ParameterLookup): Page {
  const limit = positive(lookup, 'page[size]', defaultSize);
  const number = positive(lookup, 'page[number]', 1);
  if (limit > maxSize) {
    throw invalidRequest(
      `A page holds at most ${maxSize} records.`,
      'Ask for a smaller page[size], or export a CSV file.',
    );
  }
  const skip = (number - 1) * limit;
  if (!Number.isSafeInteger(skip)) {
    throw invalidRequest('The page lies beyond what can be counted.', 'Ask for a smaller page[number].');
  }
  return { skip, limit };
}

function positive(lookup: ParameterLookup, name: string, fallback: number): number {
  const given = lookup(name);
  if (given === undefined || given === null || given === '') return fallback;
  const value = Number.parseInt(String(given), 10);
  if (!(value > 0)) {
    throw invalidRequest(
      `The parameter "${name}" must be a positive number.`,
      `Send ${name}=${fallback}, for instance.`,
    );
  }
  return value;
}
