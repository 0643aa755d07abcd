import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { addressRanges, type IncludesAddress } from '../server/address-ranges.ts';

/**
 * The proxies whose `X-Forwarded-…` headers are believed: addresses such as `10.0.0.7` and ranges such as `10.0.0.0/8`.
 * Throws `USAGE_INVALID` for anything else.
 */
export function trustedProxies(places: readonly string[]): IncludesAddress {
  return addressRanges(places, malformed);
}

function malformed(place: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `"${place}" is no address and no range of addresses, so no proxy can be trusted by it.`,
    'Write it like 10.0.0.7, 10.0.0.0/8 or fd00::/8. A range of length 0, which is everybody, is refused.',
  );
}
