import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '#kernel/errors/request-errors';

const keyBytes = 32;
const signatureBytes = 16;

/** Marks where a list goes on. A cursor is good for the person and the list it was made for, and for no other. */
export interface PageCursors {
  /**
   * @param skip How many records come before.
   * @param list Everything that says whose list it is, and of what, in what order.
   */
  issue(skip: number, list: readonly unknown[]): string;
  /** How many records come before. Throws `REQUEST_INVALID` for anything but a cursor of that list. */
  read(cursor: string, list: readonly unknown[]): number;
}

export function createPageCursors(authSecret: string): PageCursors {
  const key = new Uint8Array(hkdfSync('sha256', authSecret, '', 'vendor-cloud mcp page cursor', keyBytes));
  const signatureOf = (skip: number, list: readonly unknown[]) =>
    createHmac('sha256', key)
      .update(JSON.stringify([skip, list]))
      .digest()
      .subarray(0, signatureBytes);
  return {
    issue: (skip, list) => `${skip.toString(36)}.${signatureOf(skip, list).toString('base64url')}`,
    read: (cursor, list) => {
      const [, place = '', signature = ''] = /^([0-9a-z]{1,9})\.([\w-]{22})$/.exec(cursor) ?? [];
      const skip = Number.parseInt(place, 36);
      const sent = Buffer.from(signature, 'base64url');
      if (sent.length === signatureBytes && timingSafeEqual(sent, signatureOf(skip, list))) return skip;
      throw invalidRequest(
        'The cursor does not belong to this list.',
        'Give the cursor of the page before, with the same arguments, or leave it out to begin anew.',
      );
    },
  };
}
