import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { crossSiteRequest } from '#node/http/request-guards';

/** Somebody who is signed in in the browser that sent a request. */
export interface PageSession {
  /** SHA-256 of the secret that the cookie has: the id of the session in the store. */
  readonly id: string;
  readonly userId: number;
  /** The person, and the token that they signed in with where it was one, as the provider names both. */
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** When the person signed in. */
  readonly signedInAt: number;
  /** The only project that it reaches, where somebody signed in with a token. */
  readonly projectId: number | undefined;
}

/** The session of the browser of a request; `undefined` where nobody is signed in. */
export type FindPageSession = (request: FastifyRequest, reply: FastifyReply) => Promise<PageSession | undefined>;

/** Pages of the platform send it as `service-client`. A form cannot, and a page of another origin has to ask before. */
const clientHeader = 'console';

/** Whether a request says that a page of the platform sends it. `EventSource` takes no headers of a page, and only reads. */
export function isOfPage(request: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  return request.headers['service-client'] !== undefined || isOfEventSource(request);
}

function isOfEventSource({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  return method === 'GET' && headers.accept === 'text/event-stream' && headers['sec-fetch-site'] !== undefined;
}

/** What a page calls: the API of people, and agents. */
const pagePaths = ['/api/', '/console/'];
/** Forms of other pages send other types without asking. */
const jsonTypes = new Set(['application/json', 'application/vnd.api+json']);

/**
 * Lets a session count only in requests that scripts of this platform send: no link, no form, no frame and no page of another
 * origin can send one like it. Programs can, but they have no cookie.
 *
 * @throws `REQUEST_FORBIDDEN` or `REQUEST_CROSS_SITE`
 */
export function requireOwnPage(request: Pick<FastifyRequest, 'headers' | 'method' | 'url'>): void {
  const { headers, url } = request;
  if (headers['service-client'] !== clientHeader && !isOfEventSource(request))
    throw refused(`The header "service-client" is not "${clientHeader}".`);
  if (headers['sec-fetch-site'] !== 'same-origin') {
    throw crossSiteRequest('Open the console of the platform, or call the platform with a token.');
  }
  if (!pagePaths.some((path) => url.startsWith(path))) throw refused('This route takes tokens only.');
  if (hasBody(headers) && !jsonTypes.has(mediaTypeOf(headers['content-type']))) {
    throw refused('The body of the request is not JSON.');
  }
}

function hasBody(headers: FastifyRequest['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function mediaTypeOf(contentType = ''): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

function refused(message: string): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    `The sign-in of a browser does not count for this request. ${message}`,
    'Send the request from the console, or with "Authorization: Bearer" and a token.',
  );
}
