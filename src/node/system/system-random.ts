import crypto, { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from '#kernel/ports/random';

/** From Node.js 24.16. */
const own: { readonly randomUUIDv7?: () => string } = crypto;

export const systemRandom: Random = {
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  uuid: randomUUID,
  orderedUuid: own.randomUUIDv7 ?? createOrderedUuids(Date.now),
};

/** The same by hand. The part that says the time is made once for all of a millisecond. */
export function createOrderedUuids(now: () => number): () => string {
  let moment = Number.NaN;
  let start = '';
  return () => {
    const wanted = now();
    if (wanted !== moment) {
      const time = wanted.toString(16).padStart(12, '0');
      start = `${time.slice(0, 8)}-${time.slice(8)}-7`;
      moment = wanted;
    }
    return start + randomUUID().slice(15);
  };
}
