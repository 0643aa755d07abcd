import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { PlaceInList } from '../../records/request/record-service.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** The values of long texts do not fit into an address. Such a list goes on by counting. */
const longestPlace = 2_000;

/**
 * Marks where a list goes on. A cursor is good for the person and the list it was made for, and for no other. It is sealed: a
 * list may be in the order of fields that nobody sees.
 */
export interface PageCursors {
  /** @param list Everything that says whose list it is, and of what, in what order. */
  issue(place: PlaceInList, list: readonly unknown[]): string;
  /** Throws `REQUEST_INVALID` for anything but a cursor of that list. */
  read(cursor: string, list: readonly unknown[]): PlaceInList;
}

/** @param secret 32 bytes, derived from the secret of the agent. */
export function createPageCursors(secret: Uint8Array): PageCursors {
  // OpenSSL would prepare the bytes of a key again for each cursor, which takes longer than all else here.
  const key = createSecretKey(secret);
  return {
    issue: ({ skip, values }, list) => {
      const whole = JSON.stringify(values === undefined ? [skip] : [skip, values]);
      const nonce = newNonce();
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(identityOf(list));
      const sealed = cipher.update(whole.length > longestPlace ? JSON.stringify([skip]) : whole, 'utf8');
      return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    read: (cursor, list) => {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length <= nonceBytes + tagBytes) throw strangeCursor();
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(identityOf(list)).setAuthTag(bytes.subarray(-tagBytes));
      const place = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
      try {
        decipher.final();
      } catch {
        // It says no more than that something else was sealed.
        throw strangeCursor();
      }
      const [skip, values] = JSON.parse(place.toString('utf8'));
      return values === undefined ? { skip } : { skip, values };
    },
  };
}

const nonces = Buffer.alloc(256 * nonceBytes);
let usedBytes = nonces.length;

/** A nonce that nothing was sealed with. Random bytes for many cursors cost as much as those for one. */
function newNonce(): Buffer {
  if (usedBytes === nonces.length) {
    randomFillSync(nonces);
    usedBytes = 0;
  }
  usedBytes += nonceBytes;
  return nonces.subarray(usedBytes - nonceBytes, usedBytes);
}

function identityOf(list: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify(list));
}

function strangeCursor() {
  return invalidRequest(
    'The cursor does not belong to this list.',
    'Give the cursor of the page before, with the same arguments, or leave it out to begin again.',
  );
}
