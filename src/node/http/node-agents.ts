import type { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { ProxySettings } from '#kernel/environment/proxies';
import { trustedContext } from '../system/trusted-authorities.ts';
import { Agent } from './node-http.ts';
import { usedProxies } from './used-proxies.ts';

/** What libraries connect with that have an HTTP client of their own. */
export interface NodeAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/** The same proxies and the same authorities as those of `createHttp`. */
export function createNodeAgents(settings: ProxySettings): NodeAgents {
  const { httpProxy, httpsProxy, noProxy } = usedProxies(settings);
  const proxyEnv = { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy };
  const options = { keepAlive: true, maxSockets: 50, proxyEnv };
  return {
    httpAgent: new Agent(options),
    httpsAgent: new HttpsAgent({ ...options, secureContext: trustedContext() }),
  };
}
