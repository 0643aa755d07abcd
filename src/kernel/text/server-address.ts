/** The address of a server, or of several that stand for one another. */
export interface ServerAddress {
  /** The address with the first host in place of all. */
  readonly url: URL;
  /** Each with its port where the address names one, as `db1:5432`. */
  readonly hosts: readonly string[];
}

/**
 * Read an address whose hosts may be several, divided by commas: `postgres://app@db1:5432,db2:5433/shop`. `undefined` for what
 * is not such an address. The parser of the platform refuses all with more than one host.
 */
export function parseServerAddress(text: string): ServerAddress | undefined {
  const [, before = '', hosts = '', after = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/is.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => URL.parse(`${before}${host}${after}`));
  const [url] = urls;
  if (!url || !urls.every((one) => one !== null)) return undefined;
  if (urls.length > 1 && urls.some(({ hostname }) => hostname === '')) return undefined;
  return { url, hosts: urls.map(({ host }) => host) };
}
