import type { buildConnector } from 'undici';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { trustedContext } from '../system/trusted-authorities.ts';

/** Connects as undici does, and reads the authorities at the first secure connection. */
export function createTrustedConnector(build: typeof buildConnector): buildConnector.connector {
  const plain = build({});
  // A server of this machine takes a connection late where the machine is busy: the deadline of the request counts.
  const local = build({ timeout: 0 });
  const secure = new WeakMap<object, buildConnector.connector>();
  return (options, done) => {
    if (options.protocol !== 'https:') return (isLoopbackHost(options.hostname) ? local : plain)(options, done);
    const secureContext = trustedContext();
    const connect = secure.get(secureContext) ?? build({ secureContext });
    secure.set(secureContext, connect);
    return connect(options, done);
  };
}

/** The same for what goes through a proxy, and for the proxy itself. Nothing without one. */
export function trustThroughProxy({
  httpProxy,
  httpsProxy,
}: {
  readonly httpProxy: string;
  readonly httpsProxy: string;
}) {
  if (httpProxy === '' && httpsProxy === '') return {};
  const secureContext = trustedContext();
  return { requestTls: { secureContext }, proxyTls: { secureContext } };
}
