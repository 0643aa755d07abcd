import { crc32 } from 'node:zlib';
import type { Random } from '#kernel/ports/random';

/** `live` on the platform of a team, `test` on the local one, `scim` for provisioning: a reader sees where a token belongs. */
export type SecretKind = 'live' | 'test' | 'scim';
export type ApiTokenKind = Exclude<SecretKind, 'scim'>;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;
const pattern = /^svc_(?:live|test)_[0-9A-Za-z]{38}$/;

/**
 * A new secret: prefix, 32 random base62 characters (190 bits), and a checksum in 6 more. The prefix lets a secret scanner find
 * one that was published, the checksum tells it from a text that only looks like one, and a double click selects it whole.
 */
export function makeApiTokenSecret(kind: SecretKind, random: Random): string {
  const unchecked = `svc_${kind}_${randomDigits(random, randomLength)}`;
  return unchecked + checksumOf(unchecked);
}

/** Whether a text can be a secret: its form and its checksum are right. Needs no store. */
export function isApiTokenSecret(text: string): boolean {
  return pattern.test(text) && text.endsWith(checksumOf(text.slice(0, -checksumLength)));
}

/** Bytes that would make some digits likelier than others are drawn again. */
function randomDigits(random: Random, length: number): string {
  const fairBytes = 256 - (256 % digits.length);
  let drawn = '';
  while (drawn.length < length) {
    for (const byte of Buffer.from(random.hex(length - drawn.length), 'hex')) {
      if (byte < fairBytes) drawn += digits[byte % digits.length];
    }
  }
  return drawn;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let written = '';
  for (let place = 0; place < checksumLength; place++) {
    written = digits[rest % digits.length] + written;
    rest = Math.floor(rest / digits.length);
  }
  return written;
}
