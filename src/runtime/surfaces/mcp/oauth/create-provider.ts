import { generateKeyPairSync } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import {
  type ClientMetadata,
  type Configuration,
  type ErrorOut,
  type errors,
  interactionPolicy,
  type JWK,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import { pageHeaders, renderPage } from '#node/http/html-page';
import { sha256Hex } from '#node/system/digest';
import { derivedKey } from '../../sign-in/session-tokens.ts';
import { issuerOf } from '../mcp-routes.ts';
import { mcpAccessTokenSeconds } from '../mcp-token.ts';
import { askPlatform } from './ask-platform.ts';
import {
  codeSeconds,
  consentSeconds,
  grantSeconds,
  type McpAuthorizationOptions,
  refreshTokenSeconds,
} from './oauth-options.ts';
import { featuresOf } from './provider-features.ts';
import { clientDefaults, fetchClientDocument, shownClientName } from './registration.ts';
import { createStateAdapter } from './state-adapter.ts';

const sessionCookie = 'mcp_session';
const maxDocumentBytes = 16 * 1024;

/**
 * The OAuth server behind the routes: authorization code with S256 for public clients, refresh tokens that rotate, access tokens
 * that the MCP endpoint alone takes. It keeps no session: each authorization asks the person again.
 */
export function createMcpProvider(options: McpAuthorizationOptions): Provider {
  const { place, authSecret, platform, clock, logger } = options;
  const cookie = { httpOnly: true, sameSite: 'lax' } as const;
  const configuration: Configuration = {
    adapter: createStateAdapter(platform.mcpState, clock),
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
    },
    cookies: {
      keys: [derivedKey(authSecret, 'mcp cookies').toString('hex')],
      names: { session: sessionCookie, interaction: 'mcp_consent', resume: 'mcp_resume' },
      // Each authorization has a cookie at its own page, so that several may be under way.
      short: cookie,
      long: { ...cookie, path: `${place.basePath}/oauth` },
    },
    clientAuthMethods: ['none'],
    clientDefaults: { ...clientDefaults, id_token_signed_response_alg: 'ES256' },
    jwks: { keys: [unusedKey()] },
    responseTypes: ['code'],
    scopes: [],
    pkce: { required: () => true },
    features: featuresOf(options),
    fetch: (input, init) => fetchClientDocument(String(input), options, init?.signal),
    fetchResponseBodyLimits: { 'client_id metadata document': maxDocumentBytes },
    clientBasedCORS: () => true,
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    revokeGrantPolicy: () => true,
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: (ctx) => withinGrant(ctx, mcpAccessTokenSeconds, clock),
      AuthorizationCode: codeSeconds,
      Interaction: consentSeconds,
      RefreshToken: (ctx) => withinGrant(ctx, refreshTokenSeconds, clock),
      Grant: grantSeconds,
      Session: consentSeconds,
    },
    findAccount: async (_ctx, accountId) => {
      const person = await askPlatform(() => platform.person(Number(accountId)));
      return person && { accountId, person, claims: () => ({ sub: accountId }) };
    },
    extraTokenClaims: (ctx, token) => ({
      ...(ctx.oidc.account?.['person'] as object),
      grant_id: sha256Hex(String('grantId' in token ? token.grantId : '')),
      client_name: shownClientName({ id: ctx.oidc.client?.clientId ?? '', name: ctx.oidc.client?.clientName }),
    }),
    interactions: {
      policy: [askEachTime()] as never,
      url: (_ctx, { uid }) => `${place.basePath}/oauth/consent/${uid}`,
    },
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    renderError: showError,
  };
  const provider = new Provider(issuerOf(place), configuration);
  provider.proxy = true;
  provider.use(sendNoSession);
  provider.use(tellClient);
  logRefusals(provider, logger);
  return provider;
}

/** Nothing that comes of a grant lives longer than it. In seconds. */
function withinGrant(ctx: KoaContextWithOIDC, usualSeconds: number, clock: Clock): number {
  const { exp = Number.POSITIVE_INFINITY } = ctx.oidc.entities.Grant ?? {};
  return Math.max(1, Math.min(usualSeconds, exp - Math.floor(clock.now() / 1000)));
}

/** A client is reported what OAuth knows of it, without what the library would keep for OpenID Connect. */
async function tellClient(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.status !== 201) return;
  const { client_id, client_id_issued_at, client_name, redirect_uris } = ctx.body as ClientMetadata;
  const { grant_types, response_types, token_endpoint_auth_method } = clientDefaults;
  const fixed = { grant_types, response_types, token_endpoint_auth_method };
  ctx.body = { client_id, client_id_issued_at, client_name, redirect_uris, ...fixed };
}

/** The library sets the cookie of a session that nothing is kept of. */
async function sendNoSession(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const cookies = [ctx.response.headers['set-cookie'] ?? []].flat();
  const kept = cookies.filter((cookie) => !String(cookie).startsWith(sessionCookie));
  if (kept.length < cookies.length) ctx.set('set-cookie', kept.map(String));
}

function logRefusals(provider: Provider, logger: Logger): void {
  const tell = (_ctx: KoaContextWithOIDC, { message, error_description }: errors.OIDCProviderError) =>
    logger.log('Debug', 'The MCP server refused a client.', { error: message, reason: error_description ?? null });
  provider.on('authorization.error', tell);
  provider.on('grant.error', tell);
  const fail = (error: Error) => logger.log('Error', 'The authorization of the MCP server failed.', { error });
  provider.on('server_error', (_ctx, error) => fail(error));
  (provider as EventEmitter).on('error', fail);
}

/** The library insists on a key for ID tokens. No client can get one. */
function unusedKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kty: 'EC', use: 'sig', alg: 'ES256' };
}

/** The person agrees to each authorization, on a page of ours. */
function askEachTime() {
  const { Check, Prompt } = interactionPolicy;
  return new Prompt(
    { name: 'consent', requestable: true },
    new Check('consent_missing', 'the person has not agreed yet', (ctx) =>
      ctx.oidc.result?.consent ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
    ),
  );
}

function showError(ctx: KoaContextWithOIDC, { error, error_description = error }: ErrorOut): void {
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.set(pageHeaders());
    ctx.body = renderPage({
      title: 'This did not work',
      problem: String(error_description),
      html: '<p>Begin again in your application.</p>',
    });
  } else {
    ctx.type = 'json';
    ctx.body = { error, error_description };
  }
}
