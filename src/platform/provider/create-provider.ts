import {
  type ClientMetadata,
  type Configuration,
  type errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { commandLineClientId, sessionEndClaim } from '#contracts/sign-in';
import type { Logger } from '#kernel/ports/logger';
import { fullNameOf } from '#kernel/text/full-name';
import { pageHeaders, renderPage } from '#node/http/html-page';
import type { FindAccount } from './accounts.ts';
import { type OwnPage, ownPages } from './clients.ts';
import type { DeviceLimits } from './device-limits.ts';
import { confirmCodePage, deviceDonePage, signedOutPage, signOutPage, userCodePage } from './device-pages.ts';
import type { SignInKeys } from './provider-keys.ts';
import type { SignInStore } from './provider-store.ts';

const daySeconds = 24 * 3600;
const signInSeconds = 600;
const codeSeconds = 60;
const accessTokenSeconds = 300;
const sessionSeconds = 8 * 3600;
const scopes = 'openid email profile offline_access';

/** The command line signs in with a device code: it has no address that a browser could come back to. */
const commandLine: ClientMetadata = {
  client_id: commandLineClientId,
  client_name: 'vendor-cloud',
  token_endpoint_auth_method: 'none',
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  response_types: [],
  redirect_uris: [],
};

/** A page of the platform itself, which learns of a sign-in from its session. */
function pageClient(origin: string, { clientId, callbackPath }: OwnPage): ClientMetadata {
  return {
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: [origin + callbackPath],
  };
}

export interface ProviderServices {
  readonly store: SignInStore;
  readonly findAccount: FindAccount;
  readonly deviceLimits: DeviceLimits;
  readonly logger: Logger;
}

/** What it does beyond the code flow. The pages are ours. */
function featuresOf({ store, deviceLimits }: ProviderServices): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    revocation: { enabled: true },
    deviceFlow: {
      enabled: true,
      deviceInfo: (ctx) => {
        deviceLimits.begin(ctx, store.address());
        return {};
      },
      userCodeInputSource: (ctx, form, _out, error) => {
        const isGuessing = error !== undefined && deviceLimits.isGuessing(store.address());
        if (isGuessing) ctx.status = 429;
        return show(ctx, userCodePage(form, isGuessing ? tooManyGuesses : codeProblem(error)));
      },
      userCodeConfirmSource: (ctx, form, _client, _device, code) => show(ctx, confirmCodePage(form, code)),
      successSource: (ctx) => show(ctx, deviceDonePage()),
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => show(ctx, signOutPage(form)),
      postLogoutSuccessSource: (ctx) => show(ctx, signedOutPage()),
    },
  };
}

/**
 * The OpenID provider of the platform: authorization code with PKCE for agents that have registered, device codes for the
 * command line.
 *
 * @param issuer its own address, below which its routes are.
 */
export function createProvider(
  issuer: string,
  services: ProviderServices,
  { signingKeys, cookieKeys }: SignInKeys,
): Provider {
  const { store, findAccount, deviceLimits, logger } = services;
  const configuration: Configuration = {
    adapter: (kind: string) => {
      const adapter = store.adapterOf(kind);
      return kind === 'DeviceCode' ? deviceLimits.guarded(adapter, store.address) : adapter;
    },
    jwks: { keys: [...signingKeys] },
    // A cookie of each sign-in stands at its own page, so that several may be under way.
    cookies: { keys: [...cookieKeys], long: { path: '/' }, names: { session: sessionCookie(issuer) } },
    clients: [commandLine, ...ownPages.map((page) => pageClient(new URL(issuer).origin, page))],
    responseTypes: ['code'],
    scopes: scopes.split(' '),
    claims: { openid: ['sub', sessionEndClaim], email: ['email'], profile: ['name', 'given_name', 'family_name'] },
    pkce: { required: () => true },
    features: featuresOf(services),
    extraClientMetadata: { properties: ['environment_id'] },
    discovery: { registration_endpoint: `${issuer}/reg` },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') && (isCommandLine(client.clientId) || code.scopes.has('offline_access')),
    expiresWithSession: async (ctx, code) =>
      !isCommandLine(ctx.oidc.client?.clientId) && !code.scopes.has('offline_access'),
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      DeviceCode: signInSeconds,
      IdToken: accessTokenSeconds,
      Interaction: signInSeconds,
      RefreshToken: 14 * daySeconds,
      Session: sessionSeconds,
      Grant: 90 * daySeconds,
    },
    findAccount: async (_ctx, id) => {
      const account = await findAccount(id);
      if (!account) return undefined;
      const { user, limit } = account;
      const end = limit ? { [sessionEndClaim]: Math.floor(limit.expiresAt / 1000) } : {};
      return { accountId: id, claims: () => ({ sub: id, email: user.email, name: fullNameOf(user), ...end }) };
    },
    interactions: { policy: signInPolicy(), url: (_ctx, { uid }) => `/sign-in/${uid}` },
    loadExistingGrant: async (ctx) => {
      const { client, session, result, provider } = ctx.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      // Each device is asked for. What somebody agreed to for an agent is remembered.
      const remembered = isCommandLine(client.clientId)
        ? undefined
        : await store.findGrantId(client.clientId, session.accountId);
      const grantId = result?.consent?.grantId ?? remembered;
      return grantId === undefined ? undefined : provider.Grant.find(grantId);
    },
    renderError: (ctx, out) => {
      const { error, error_description = error } = out;
      if (ctx.accepts('json', 'html') === 'html') {
        show(ctx, renderPage({ title: 'This did not work', problem: error_description, html: '<p>Begin again.</p>' }));
      } else {
        ctx.type = 'json';
        ctx.body = { error, error_description };
      }
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.proxy = true;
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    deviceLimits.answer(ctx);
  });
  provider.use(showCodeOfLink);
  logRefusals(provider, logger);
  return provider;
}

/** A browser whose person is gone, or whose token is over, signs in again. */
function signInPolicy(): interactionPolicy.DefaultPolicy {
  const { base, Check } = interactionPolicy;
  const policy = base();
  const isOver = new Check('account_over', 'The sign-in of this browser is over.', ({ oidc }) =>
    oidc.session?.accountId !== undefined && oidc.account === undefined
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  );
  policy.get('login')?.checks.add(isOver);
  return policy;
}

/**
 * Cookies know hosts and no ports: without the port, two platforms on one machine would sign each other's browsers out. With TLS, a
 * browser takes a cookie of this name from this host only, and from no other host of its domain.
 */
function sessionCookie(issuer: string): string {
  const { port, protocol } = new URL(issuer);
  const name = port === '' ? 'session' : `session_${port}`;
  return protocol === 'https:' ? `__Host-${name}` : `_${name}`;
}

/** For a link that holds the code of a device, the provider's own page is a script that sends it. Ours shows it first. */
async function showCodeOfLink(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.oidc?.route !== 'code_verification' || ctx.method !== 'GET') return;
  if (ctx.query['user_code'] !== undefined && typeof ctx.body === 'string')
    show(ctx, userCodePage(ctx.body, undefined));
}

function logRefusals(provider: Provider, logger: Logger): void {
  const tell = (ctx: KoaContextWithOIDC, { message, error_description }: errors.OIDCProviderError) =>
    logger.log('Warn', 'The sign-in refused a request.', {
      client: ctx.oidc?.client?.clientId ?? null,
      reason: message,
      description: error_description ?? null,
    });
  provider.on('authorization.error', tell);
  provider.on('grant.error', tell);
  provider.on('server_error', (_ctx, error) => logger.log('Error', 'The sign-in failed.', { error }));
}

/** The grant of a person for a client, with everything that the client may ask for: the one from before while it lasts. */
export async function findOrMakeGrant(
  provider: Provider,
  store: SignInStore,
  clientId: string,
  accountId: string,
): Promise<string> {
  const before = isCommandLine(clientId) ? undefined : await store.findGrantId(clientId, accountId);
  if (before !== undefined) return before;
  const grant = new provider.Grant({ clientId, accountId });
  grant.addOIDCScope(scopes);
  return grant.save();
}

function isCommandLine(clientId: string | undefined): boolean {
  return clientId === commandLineClientId;
}

function show(ctx: KoaContextWithOIDC, html: string): void {
  ctx.set(pageHeaders());
  ctx.body = html;
}

const tooManyGuesses =
  'Too many wrong codes were entered from your address. Wait ten minutes, then enter the code that your terminal shows.';

function codeProblem(error: Error | undefined): string | undefined {
  if (!error) return undefined;
  return error.name === 'AbortedError'
    ? 'You have cancelled. The terminal cannot act for you.'
    : 'This is not a code that can be entered now. It may have expired, or somebody entered it before. Run "vendor-cloud login" again for a new one.';
}
