/** The proxies that an environment names, as `createHttp` takes them. */
export interface ProxySettings {
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

/**
 * Read the variables for proxies. Names in lower case win, as they do for curl and Node.js; an empty text counts as not set.
 * `ALL_PROXY` stands in for a scheme that has none, unless it names a SOCKS proxy, which HTTP requests cannot go through here.
 */
export function proxiesFrom(variables: Readonly<Record<string, string | undefined>>): ProxySettings {
  const read = (name: string) => variables[name.toLowerCase()] || variables[name] || undefined;
  const all = read('ALL_PROXY');
  const forAll = all !== undefined && /^https?:/i.test(all) ? all : undefined;
  return {
    httpProxy: read('HTTP_PROXY') ?? forAll,
    httpsProxy: read('HTTPS_PROXY') ?? forAll,
    noProxy: read('NO_PROXY'),
  };
}
