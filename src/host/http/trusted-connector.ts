import type { buildConnector } from 'undici';
import { trustedContext } from '../system/trusted-authorities.ts';

/** Connects as undici does, and reads the authorities at the first secure connection. */
export function createTrustedConnector(build: typeof buildConnector): buildConnector.connector {
  const plain = build({});
  const secure = new WeakMap<object, buildConnector.connector>();
  return (options, done) => {
    if (options.protocol !== 'https:') return plain(options, done);
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
