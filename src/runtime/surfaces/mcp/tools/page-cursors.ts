import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '#kernel/errors/request-errors';
import { derivedKey } from '../../sign-in/session-tokens.ts';

const signatureBytes = 16;

/** Where a list goes on. */
export interface PagePlace {
  /** How many records come before. */
  readonly skip: number;
  /** The key of the last record before, where the list is in the order of its key. */
  readonly after?: string | number | undefined;
}

/** Marks where a list goes on. A cursor is good for the person and the list it was made for, and for no other. */
export interface PageCursors {
  /** @param list Everything that says whose list it is, and of what, in what order. */
  issue(place: PagePlace, list: readonly unknown[]): string;
  /** Throws `REQUEST_INVALID` for anything but a cursor of that list. */
  read(cursor: string, list: readonly unknown[]): PagePlace;
}

export function createPageCursors(authSecret: string): PageCursors {
  const key = createSecretKey(derivedKey(authSecret, 'mcp page cursor'));
  const signatureOf = (place: string, list: readonly unknown[]) =>
    createHmac('sha256', key)
      .update(JSON.stringify([place, list]))
      .digest()
      .subarray(0, signatureBytes);
  return {
    issue: ({ skip, after }, list) => {
      const place = Buffer.from(JSON.stringify(after === undefined ? [skip] : [skip, after])).toString('base64url');
      return `${place}.${signatureOf(place, list).toString('base64url')}`;
    },
    read: (cursor, list) => {
      const [, place = '', signature = ''] = /^([\w-]{1,400})\.([\w-]{22})$/.exec(cursor) ?? [];
      const sent = Buffer.from(signature, 'base64url');
      if (sent.length === signatureBytes && timingSafeEqual(sent, signatureOf(place, list))) {
        const [skip, after] = JSON.parse(Buffer.from(place, 'base64url').toString());
        return { skip, after };
      }
      throw invalidRequest(
        'The cursor does not belong to this list.',
        'Give the cursor of the page before, with the same arguments, or leave it out to begin again.',
      );
    },
  };
}
