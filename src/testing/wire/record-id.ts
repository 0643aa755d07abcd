import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** The key of a record: one value, or one for each part of a composite key. Large integers are exact as text or `bigint`. */
export type RecordId = string | number | bigint | readonly (string | number | bigint)[];

/** A key as one text, its parts joined with `|`. Throws `REQUEST_INVALID` for a part that is empty, absent, or holds `|`. */
export function packId(id: RecordId): string {
  if (!Array.isArray(id)) return partOf(id);
  if (id.length === 0) throw unusableId('The composite id has no part.');
  const parts = id.map(partOf);
  if (parts.length > 1 && parts.some((part) => part.includes('|'))) {
    throw unusableId('A part of the composite id holds "|", which separates the parts on the way to the agent.');
  }
  return parts.join('|');
}

/** Tests are also written in JavaScript, where any value may come. */
function partOf(part: unknown): string {
  const isInexact = typeof part === 'number' && !(Number.isSafeInteger(part) || !Number.isInteger(part));
  if (isInexact)
    throw unusableId(`The number ${part} is too large to be exact.`, 'Write the id as a text or a bigint.');
  const isUsable = (typeof part === 'string' && part !== '') || typeof part === 'bigint' || Number.isFinite(part);
  if (isUsable) return String(part);
  throw unusableId(`An id, or a part of it, is ${part === '' ? 'an empty text' : String(part)}.`);
}

function unusableId(message: string, nextStep = 'Look for the record with a filter instead.'): CloudError {
  return cloudError('REQUEST_INVALID', message, nextStep);
}
