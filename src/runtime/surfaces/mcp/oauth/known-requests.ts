import { issuerOf, type McpPlace, resourceOf } from '../mcp-place.ts';

/** What a client asks for that names no scope. */
const leastScope = 'mcp:read';

/** Parameters that the server knows. Answers come in the query, whatever mode a client names. Others are passed over, such as those that OpenID Connect adds. */
const known = new Set([
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'resource'],
  ...['code_challenge', 'code_challenge_method'],
]);

/** The parameters of an authorization request, with the resource and the scope as the server names them. */
export function knownAuthorizationRequest(asked: URLSearchParams, place: McpPlace): URLSearchParams {
  const request = knownTokenRequest(new URLSearchParams([...asked].filter(([name]) => known.has(name))), place);
  if ((request.get('scope') ?? '').trim() === '') request.set('scope', leastScope);
  // The person is asked each time, so that no other wish than to ask nobody makes a difference.
  if (asked.get('prompt') === 'none') request.set('prompt', 'none');
  return request;
}

/** The parameters of a token request. A resource that is not ours stays, and is refused later. */
export function knownTokenRequest(asked: URLSearchParams, place: McpPlace): URLSearchParams {
  const request = new URLSearchParams(asked);
  const resources = new Set(asked.getAll('resource').map((resource) => knownResource(resource, place)));
  request.delete('resource');
  for (const resource of resources) request.append('resource', resource);
  return request;
}

/** Clients also call the endpoint by its host alone, or with a slash at the end. */
function knownResource(asked: string, place: McpPlace): string {
  const own = resourceOf(place);
  const names = [own, issuerOf(place), place.origin].map((name) => withoutSlash(new URL(name).href));
  const href = URL.parse(asked)?.href;
  return href !== undefined && names.includes(withoutSlash(href)) ? own : asked;
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
