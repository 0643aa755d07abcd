import type { Held } from '#contracts/memberships';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import type { FlowContext } from '../flow-context.ts';
import { noToken, platformUrlOf } from '../platform-access/connect-to-platform.ts';
import { type FoundToken, type TokenPlaces, type TokenSource, tokensFor } from '../platform-access/platform-tokens.ts';
import { readProjectParts } from '../platform-access/project-parts.ts';

export interface WhoAmI {
  readonly serverUrl: string;
  readonly user: { readonly name: string; readonly email: string };
  readonly team: string;
  /** All roles in the environment and all teams, the first one of each first. */
  readonly roles: readonly Held[];
  readonly teams: readonly Held[];
  readonly project: string;
  readonly environment: string;
  /** Where the token came from. */
  readonly source: TokenSource;
  /** `null`: it does not expire, or the platform does not tell. */
  readonly expiresAt: string | null;
  /** Where other tokens are that were not used. */
  readonly ignored: readonly TokenSource[];
}

/**
 * Who commands are carried out as, and which token says so. Warns of other tokens, which lose. Rejects with `CREDENTIALS_MISSING`
 * for nobody, and with `PLATFORM_UNAUTHENTICATED` for a token that the platform does not know.
 */
export async function whoAmI(
  context: FlowContext,
  { folder, serverUrl }: { readonly folder: string; readonly serverUrl: string | undefined },
): Promise<WhoAmI> {
  const places = await placesOf(context, folder, serverUrl);
  const { url, env } = places;
  const environment = env.get('SERVICE_ENV');
  const [used, ...others] = await allTokens(context, places);
  if (!used) throw noToken(url);
  const options = { serverUrl: url, http: context.http, credentials: { userToken: used.token } };
  const client = createPlatformClient(environment === undefined ? options : { ...options, environment });
  const me = await client.me().catch((error: unknown) => {
    throw isCloudError(error) && error.safeDetails['status'] === 401 ? unknownToken(used, url, error) : error;
  });
  const ignored = others.filter(({ token }) => token !== used.token).map(({ source }) => source);
  if (ignored.length > 0) {
    context.reporter.warn(
      `The token of ${nameOf(used.source)} is used, and not that of ${ignored.map(nameOf).join(', ')}.`,
    );
  }
  return {
    serverUrl: url,
    user: { name: me.user.name, email: me.user.email },
    team: me.team,
    roles: me.roles,
    teams: me.teams,
    project: me.project,
    environment: me.environment,
    source: used.source,
    expiresAt: used.expiresAt ?? (await expiryOf(client)),
    ignored,
  };
}

/** A keychain that does not give its token is not a reason not to tell of the token that wins. */
async function allTokens(context: FlowContext, places: TokenPlaces): Promise<readonly FoundToken[]> {
  const found: FoundToken[] = [];
  try {
    for await (const each of tokensFor(context, places)) found.push(each);
  } catch (error) {
    if (found.length === 0 || !isCloudError(error) || error.code !== 'CREDENTIALS_MISSING') throw error;
    context.reporter.warn(error.message);
  }
  return found;
}

async function placesOf(context: FlowContext, folder: string, serverUrl: string | undefined): Promise<TokenPlaces> {
  const { problems, env, session, ...parts } = await readProjectParts(context, folder);
  const [problem] = problems;
  if (problem) throw problem;
  return { url: serverUrl ?? platformUrlOf({ env, ...parts }, session), env, session };
}

async function expiryOf(client: PlatformClient): Promise<string | null> {
  return (await client.sessions()).find(({ isCurrent }) => isCurrent)?.expiresAt ?? null;
}

const names: Readonly<Record<TokenSource, string>> = {
  variable: 'SERVICE_AUTH_TOKEN',
  '.env': 'SERVICE_AUTH_TOKEN in .env',
  'dev session': 'the running "vendor-cloud dev"',
  keychain: 'the sign-in in the keychain',
  file: 'the sign-in in the file of tokens',
};

function nameOf(source: TokenSource): string {
  return names[source];
}

function unknownToken({ source, expiresAt }: FoundToken, url: string, cause: CloudError): CloudError {
  const since = expiresAt ? ` It was valid until ${expiresAt}.` : '';
  const isSignIn = source === 'keychain' || source === 'file';
  return cloudError(
    'PLATFORM_UNAUTHENTICATED',
    `The platform at ${url} does not accept the token of ${nameOf(source)}: it has expired, was revoked, or is of another platform.${since}`,
    isSignIn ? 'Sign in again: vendor-cloud login' : 'Replace that token, or remove it and run "vendor-cloud login".',
    { cause },
  );
}
