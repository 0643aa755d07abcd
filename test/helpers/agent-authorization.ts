/** Of RFC 7636, appendix B. */
const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

/** Where an agent is known. */
export interface PlatformOfAgent {
  readonly url: string;
  readonly envSecret: string;
}

/** Make an agent known that browsers come back to at `callback`; resolves to its client id. */
export async function registerAgent({ url, envSecret }: PlatformOfAgent, callback: string): Promise<string> {
  const response = await fetch(`${url}/oidc/reg`, {
    method: 'POST',
    headers: { authorization: `Bearer ${envSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback] }),
  });
  return ((await response.json()) as { client_id: string }).client_id;
}

/** Where such an agent sends a browser to sign in; it comes back with the state `s`. */
export async function authorizationUrl(
  platform: PlatformOfAgent,
  callback: string,
  change: Readonly<Record<string, string>> = {},
): Promise<string> {
  const client_id = await registerAgent(platform, callback);
  const query = { client_id, response_type: 'code', scope: 'openid', redirect_uri: callback, code_challenge };
  return `${platform.url}/oidc/auth?${new URLSearchParams({ ...query, code_challenge_method: 'S256', state: 's', ...change })}`;
}
