/** A host name or an address as a URL writes it: an IPv6 address stands in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
