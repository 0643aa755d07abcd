import type { IncomingMessage } from 'node:http';
import { all, compile } from '@fastify/proxy-addr';

/** The address of the client, as far as trusted proxies tell. */
export type ClientAddress = (request: IncomingMessage) => string;

/** @param trustedProxies Addresses and ranges whose `X-Forwarded-For` is believed. */
export function clientAddressBehind(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = compile([...trustedProxies]);
  return (request) => all(request, isTrusted).at(-1) ?? '';
}
