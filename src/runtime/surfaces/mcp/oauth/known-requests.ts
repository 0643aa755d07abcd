import { issuerOf, type McpPlace, resourceOf } from '../mcp-place.ts';

/** What a client asks for that names no scope. */
const leastScope = 'mcp:read';

/** The parameters of an authorization request, with the resource and the scope as the server names them. */
export function knownAuthorizationRequest(asked: URLSearchParams, place: McpPlace): URLSearchParams {
  const known = knownTokenRequest(asked, place);
  if ((known.get('scope') ?? '').trim() === '') known.set('scope', leastScope);
  return known;
}

/** The parameters of a token request. A resource that is not ours stays, and is refused later. */
export function knownTokenRequest(asked: URLSearchParams, place: McpPlace): URLSearchParams {
  const known = new URLSearchParams(asked);
  const resources = new Set(asked.getAll('resource').map((resource) => knownResource(resource, place)));
  known.delete('resource');
  for (const resource of resources) known.append('resource', resource);
  return known;
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
