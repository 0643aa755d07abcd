import type { IncomingMessage } from 'node:http';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';

/**
 * Whether a browser says that a page of another origin made it send a request. A link or a redirect that shows the answer as a page does
 * not count: it reads only, and a sign-in comes back that way. Programs and old browsers say nothing.
 */
export function isSentByOtherPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(method === 'GET' && isNavigation);
}

/** The refusal of a request in which a page of another origin uses a cookie of this server. */
export function crossSiteRequest(nextStep: string): CloudError {
  return cloudError(
    'REQUEST_CROSS_SITE',
    'A web page of another origin sent the request, and the browser added a cookie of this server.',
    nextStep,
  );
}

/**
 * Node.js takes the first of several `Host` headers, and a proxy in front may have looked at another one.
 *
 * @throws `REQUEST_INVALID`
 */
export function requireOneHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw invalidRequest('The request has several Host headers.', 'Send one Host header.');
}
