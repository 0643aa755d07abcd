import { isLoopbackHost } from '#kernel/text/loopback-host';

/** Schemes of applications that take their answer by the operating system. Cursor on the desktop has no other way. */
const applicationSchemes: ReadonlySet<string> = new Set(['cursor:']);
/** The hosts of this machine whose port may differ from the registered one (RFC 8252). */
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a client may have an address to send browsers back to: `https:`, this machine over `http:`, or a known application. */
export function isRedirectUri(uri: string): boolean {
  const url = URL.parse(uri);
  if (!url || uri.includes('#') || url.username !== '' || url.password !== '' || hasDotSegment(uri)) return false;
  if (url.protocol === 'https:') return !isLoopbackHost(url.hostname);
  if (url.protocol === 'http:') return loopbackHosts.has(url.hostname);
  return applicationSchemes.has(url.protocol);
}

/** Whether everything that a client sends browsers back to is on the machine of the browser. */
export function isOfThisMachine(uris: readonly string[]): boolean {
  return uris.every((uri) => URL.parse(uri)?.protocol !== 'https:');
}

/** Where a browser goes back to, in words. */
export function destinationOf(uri: string): string {
  const { protocol, host, hostname } = new URL(uri);
  if (protocol === 'https:') return host;
  return protocol === 'http:'
    ? `a program on this computer (${hostname})`
    : `the application for ${protocol} addresses`;
}

function hasDotSegment(uri: string): boolean {
  return /\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(uri);
}
