import { createHmac, timingSafeEqual } from 'node:crypto';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

export type Order = 'asc' | 'desc';

/** A place in a list. Whoever has it goes on from there with the same filters, in the same environment. */
interface Cursor {
  /** What is listed: id of the chain, or of whatever else has pages. */
  readonly list: string;
  /** The order of the pages. */
  readonly order: Order;
  /** Where to read from the place: like the pages, or the other way for the page before. */
  readonly direction: Order;
  /** The place: the next page begins behind it. */
  readonly position: number;
  /** Filters in a canonical form. */
  readonly filters: string;
}

export interface Cursors {
  write(cursor: Cursor): string;
  /** Throws `REQUEST_INVALID` for a text that this platform did not write, or wrote for another list or other filters. */
  read(text: string, expected: Pick<Cursor, 'list' | 'filters'>): Omit<Cursor, 'list' | 'filters'>;
}

const version = 1;
const length = 2 + 8 + 16 + 8 + 16;

/** @param secret of the platform; other processes and the next start must have the same. */
export function createCursors(secret: string): Cursors {
  const digest = (purpose: string, content: string | Buffer, size: number) =>
    createHmac('sha256', secret).update(`cursor ${purpose}\n`).update(content).digest().subarray(0, size);
  return {
    write({ list, order, direction, position, filters }) {
      const place = Buffer.alloc(8);
      place.writeBigUInt64BE(BigInt(position));
      const flags = Buffer.from([version, (order === 'asc' ? 1 : 0) + (direction === 'asc' ? 2 : 0)]);
      const content = Buffer.concat([flags, place, digest('list', list, 16), digest('filters', filters, 8)]);
      return Buffer.concat([content, digest('signature', content, 16)]).toString('base64url');
    },
    read(text, { list, filters }) {
      const bytes = Buffer.from(text, 'base64url');
      const content = bytes.subarray(0, -16);
      const isOurs =
        bytes.length === length &&
        bytes.toString('base64url') === text &&
        content[0] === version &&
        timingSafeEqual(bytes.subarray(-16), digest('signature', content, 16)) &&
        content.subarray(10, 26).equals(digest('list', list, 16));
      if (!isOurs) throw refused('is not one of this list', 'Begin without a cursor.');
      if (!content.subarray(26, 34).equals(digest('filters', filters, 8))) {
        throw refused('was made with other filters', 'Send the filters that the first page was asked with.');
      }
      const flags = content[1] ?? 0;
      return {
        order: flags & 1 ? 'asc' : 'desc',
        direction: flags & 2 ? 'asc' : 'desc',
        position: Number(content.readBigUInt64BE(2)),
      };
    },
  };
}

function refused(why: string, nextStep: string): CloudError {
  return cloudError('REQUEST_INVALID', `"cursor" ${why}.`, nextStep);
}
