import { randomUUID } from 'node:crypto';
import { bareFileName } from '#kernel/text/bare-file-name';
import { customizationFailed } from '../../user-code/call-handler.ts';

/** Characters that mean nothing to addresses, shells and file systems. */
const unusual = /[^\p{L}\p{N}._-]+/gu;
const longestName = 100;
/** What S3 takes. */
const longestKeyBytes = 1024;

/** A key that no other file has: `orders/0b9f…/invoice.pdf`. */
export function defaultKey(collection: string, fileName: string): string {
  return `${keyPart(collection)}/${randomUUID()}/${keyPart(bareFileName(fileName))}`;
}

/** The end of a long name is kept, because it says what kind of file it is. */
function keyPart(name: string): string {
  const plain = name.normalize('NFC').replaceAll(unusual, '-').slice(-longestName).replace(/^\.+/, '').toWellFormed();
  return plain === '' ? 'file' : plain;
}

/** The key that code of the project gives. Throws `CUSTOMIZATION_FAILED` for one that leads elsewhere than it seems to. */
export function checkedKey(key: unknown): string {
  if (typeof key !== 'string') throw unusable('is no text');
  if (key === '' || Buffer.byteLength(key) > longestKeyBytes) {
    throw unusable(`is empty or longer than ${longestKeyBytes} bytes`);
  }
  if (/\p{Cc}/u.test(key) || !key.isWellFormed()) throw unusable('holds characters that no key may have');
  if (key.split('/').some((part) => ['', '.', '..'].includes(part))) throw unusable('has an empty part, "." or ".."');
  return key;
}

function unusable(problem: string) {
  return customizationFailed(`The key that "storeAt" gives to a file ${problem}.`);
}
