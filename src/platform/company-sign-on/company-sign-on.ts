import type { FastifyInstance } from 'fastify';
import type { Configuration } from 'openid-client';
import type { CompanySignOnSettings } from '#contracts/company-sign-on';
import { scimPath } from '#contracts/scim-tokens';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Http } from '#kernel/ports/http';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { fetchOverHttp } from '#node/http/fetch-over-http';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';

/** The OpenID provider of a company, whose people sign in with the account that they have there. */
export interface CompanySignOnOptions {
  /** As the provider names itself: `https://login.example.com`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What e-mail addresses end with, in lower case: `example.com`. */
  readonly domains: readonly string[];
  /** Passwords and tokens are not taken on the page for signing in. */
  readonly isOnly: boolean;
  /** What `amr` or `acr` of the provider says where somebody has given a second factor there. Empty: it never counts here. */
  readonly secondFactors: readonly string[];
  /** The claim that names the groups of a person. */
  readonly groupsClaim: string;
  /** Scopes beside those of names and addresses. */
  readonly scopes: readonly string[];
  readonly http: Http;
}

/** What a sign-on is begun with, and must be ended with. */
export interface SignOnSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The person that the provider vouches for. */
export interface CompanyPerson {
  /** Verified, in lower case. */
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Whether the provider has asked for a second factor that counts here. */
  readonly hasSecondFactor: boolean;
  /** The groups that the provider names. */
  readonly groups: readonly string[];
  /** The provider says that there are groups, and does not name them. */
  readonly hasUnnamedGroups: boolean;
}

export interface CompanySignOn {
  readonly isOnly: boolean;
  /** Where to send the browser. */
  begin(): Promise<{ readonly url: string; readonly secrets: SignOnSecrets }>;
  /**
   * Who has come back. Rejects with `SIGN_IN_REFUSED` when the provider refuses, or when the e-mail is not verified or is of
   * another domain.
   *
   * @param query of the address the browser came back to.
   */
  finish(query: URLSearchParams, secrets: SignOnSecrets): Promise<CompanyPerson>;
}

const scopes = ['openid', 'email', 'profile'];
/** The most groups of a person that are kept, and the longest name of one. */
const mostGroups = 1000;
const longestGroup = 200;

/** @param callbackUrl where browsers come back to: what the provider has as the redirect URI of the platform. */
export function createCompanySignOn(options: CompanySignOnOptions, callbackUrl: () => string): CompanySignOn {
  let discovered: Promise<Configuration> | undefined;
  const discover = () => {
    discovered ??= discoverProvider(options).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  };
  return {
    isOnly: options.isOnly,
    begin: async () => {
      const client = await import('openid-client');
      const configuration = await refusing(discover());
      const secrets = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl(),
        scope: [...new Set([...scopes, ...options.scopes])].join(' '),
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, secrets };
    },
    finish: async (query, { state, nonce, codeVerifier }) => {
      const client = await import('openid-client');
      const current = new URL(callbackUrl());
      current.search = query.toString();
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      };
      const configuration = await refusing(discover());
      const tokens = await refusing(client.authorizationCodeGrant(configuration, current, checks));
      return personOf(tokens.claims() ?? {}, options);
    },
  };
}

/** The addresses that the provider of a company is set up with. */
interface SignOnAddresses {
  readonly origin: () => string;
  readonly callbackUrl: () => string;
}

/** What is set, for who may manage people. The secret is never a part of it. */
export function registerCompanySignOnRoute(
  server: FastifyInstance,
  guards: Guards,
  options: CompanySignOnOptions | undefined,
  { origin, callbackUrl }: SignOnAddresses,
): void {
  server.get(
    '/api/company-sign-on',
    { onRequest: guards.user.check },
    async (request): Promise<CompanySignOnSettings> => {
      authorise(guards.user.of(request), 'manage people');
      const provider = options && {
        issuer: options.issuer,
        clientId: options.clientId,
        domains: [...options.domains],
        isOnly: options.isOnly,
        secondFactors: [...options.secondFactors],
        groupsClaim: options.groupsClaim,
        scopes: [...options.scopes],
        callbackUrl: callbackUrl(),
      };
      return { provider: provider ?? null, scimUrl: `${origin()}${scimPath}` };
    },
  );
}

async function discoverProvider({
  issuer,
  clientId,
  clientSecret,
  http,
}: CompanySignOnOptions): Promise<Configuration> {
  const client = await import('openid-client');
  const url = new URL(issuer);
  return client.discovery(url, clientId, undefined, client.ClientSecretBasic(clientSecret), {
    [client.customFetch]: fetchOverHttp(http),
    // Plain http passes for this machine only.
    // The signatures of tokens are checked as well, although they come from the company itself.
    execute: [
      client.enableNonRepudiationChecks,
      ...(url.protocol === 'http:' && isLoopbackHost(url.hostname) ? [client.allowInsecureRequests] : []),
    ],
  });
}

function personOf(
  claims: Readonly<Record<string, unknown>>,
  { domains, secondFactors, groupsClaim }: Pick<CompanySignOnOptions, 'domains' | 'secondFactors' | 'groupsClaim'>,
): CompanyPerson {
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name].trim() : '');
  const email = text('email').toLowerCase();
  if (email === '') throw refused('it gave no e-mail address');
  if (claims['email_verified'] !== true) throw refused('it has not verified the e-mail address');
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (!domains.includes(domain)) throw refused(`addresses of ${domain} are not taken here`);
  const [first = '', ...rest] = (text('name') || email.slice(0, email.lastIndexOf('@'))).split(/\s+/);
  const methods = [claims['amr'], claims['acr']].flat();
  return {
    email,
    firstName: text('given_name') || first,
    lastName: text('family_name') || rest.join(' '),
    hasSecondFactor: secondFactors.some((method) => methods.includes(method)),
    groups: groupsOf(claims[groupsClaim]),
    hasUnnamedGroups: Object.hasOwn(Object(claims['_claim_names']), groupsClaim),
  };
}

/** One text is one group. What is not a name of a group counts for nothing. */
function groupsOf(claim: unknown): readonly string[] {
  const named = [claim]
    .flat()
    .filter((name): name is string => typeof name === 'string' && name !== '' && name.length <= longestGroup);
  return [...new Set(named)].slice(0, mostGroups);
}

/** What the provider, or the library on its behalf, refuses, as an error of the catalogue. */
async function refusing<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (isCloudError(error) || !(error instanceof Error)) throw error;
    const described = 'error_description' in error ? error.error_description : undefined;
    throw refused(typeof described === 'string' ? described : error.message, error);
  }
}

function refused(reason: string, cause?: unknown): CloudError {
  return cloudError(
    'SIGN_IN_REFUSED',
    `The company account was not accepted: ${reason}.`,
    'Sign in with another account, or ask an administrator.',
    { ...(cause === undefined ? {} : { cause }) },
  );
}
