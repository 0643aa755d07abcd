/**
 * Whether an address, as it stands in a request line, is the prefix or below it. Parts are compared as the router of the
 * agent does: in any case, and percent-encoded or not.
 */
export function isBelowPrefix(url: string, prefix: string): boolean {
  const parts = partsOf(url);
  return partsOf(prefix).every((part, index) => decoded(parts[index]) === part.toLowerCase());
}

/** `/service/orders?x=1` → `service`, `orders`; an address may also come with its origin, through a proxy. */
function partsOf(url: string): readonly string[] {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return path.split('/').slice(1);
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part).toLowerCase();
  } catch {
    // The text is not a valid encoding, so it matches no part of the prefix.
    return undefined;
  }
}
