import type { FastifyRequest } from 'fastify';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { hostInUrl } from '#node/http/host-in-url';

/** What a server is called. */
export interface OwnAddresses {
  readonly listenHost: string;
  /** Where it is reached through a proxy. */
  readonly publicOrigin: string | undefined;
}

/**
 * Lets through only requests that name this server and come from no other web page: a page in the developer's browser
 * could otherwise reach a server on loopback by a name it controls (DNS rebinding) or by a plain cross-site request.
 */
export function checkRequestIsOwn(request: FastifyRequest, { listenHost, publicOrigin }: OwnAddresses): void {
  const host = request.headers.host ?? '';
  const name = hostNameOf(`http://${host}`);
  const ownNames = [hostNameOf(`http://${hostInUrl(listenHost)}`), publicOrigin && hostNameOf(publicOrigin)];
  if (name === undefined || !(isLoopbackHost(name) || ownNames.includes(name))) {
    throw refused(
      'The request is addressed to a name this server does not have.',
      'Use the address the server printed when it started.',
    );
  }
  const { origin } = request.headers;
  const isPublicHost = publicOrigin !== undefined && host === new URL(publicOrigin).host;
  const direct = isPublicHost ? publicOrigin : `http://${host}`;
  if (origin !== undefined && origin !== direct && origin !== publicOrigin) {
    throw refused(
      'The request comes from a web page of another origin.',
      'Call the platform from a program instead of a web page.',
    );
  }
}

function hostNameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

function refused(message: string, nextStep: string): CloudError {
  return cloudError('REQUEST_FORBIDDEN', message, nextStep);
}
