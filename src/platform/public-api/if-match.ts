import type { FastifyRequest } from 'fastify';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** The state of something that a caller has seen, and wants to change. */
export interface SeenState {
  includes(etag: string): boolean;
}

/** What the header `If-Match` says. Throws `PRECONDITION_MISSING` without it, and `REQUEST_INVALID` for one that nobody can read. */
export function seenStateOf({ headers }: Pick<FastifyRequest, 'headers'>): SeenState {
  const header = headers['if-match'];
  if (header === undefined) {
    throw cloudError(
      'PRECONDITION_MISSING',
      'The header "If-Match" is missing, so that the change could undo that of somebody else.',
      'Read it first, and send its ETag in "If-Match".',
    );
  }
  if (header.trim() === '*') return { includes: () => true };
  const tags = header.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag))) {
    throw cloudError(
      'REQUEST_INVALID',
      'The header "If-Match" is not valid.',
      'Send the ETag as it came, with its quotes.',
    );
  }
  // A weak tag is the same as no other one here.
  return { includes: (etag) => tags.includes(etag) };
}

/** Somebody changed the thing after the caller had read it. */
export function changedSince(what: string): CloudError {
  return cloudError(
    'PRECONDITION_FAILED',
    `${what} has changed since you read it.`,
    'Read it again, then send the change with its new ETag in "If-Match".',
  );
}
