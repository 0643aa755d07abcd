import type { ProxySettings } from '#kernel/environment/proxies';

/** The proxies of each scheme; an empty text means no proxy, and keeps a library from reading the environment by itself. */
export type UsedProxies = Readonly<Record<keyof ProxySettings, string>>;

/** This machine is never reached through a proxy. */
export function usedProxies({ httpProxy, httpsProxy, noProxy }: Partial<ProxySettings>): UsedProxies {
  return {
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? httpProxy ?? '',
    noProxy: ['localhost', '127.0.0.1', '::1', ...(noProxy === undefined ? [] : [noProxy])].join(','),
  };
}
