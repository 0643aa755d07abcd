import type { FastifyReply, FastifyRequest } from 'fastify';
import { commandLineClientId } from '#contracts/sign-in';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import { pageHeaders } from '#node/http/html-page';
import type { CompanyPeople } from '../company-sign-on/company-people.ts';
import type { CompanySignOn } from '../company-sign-on/company-sign-on.ts';
import type { SignOnRepository } from '../company-sign-on/sign-on-repository.ts';
import type { FactorService } from '../factors/factor-service.ts';
import type { FirstFactors, SignedIn } from '../factors/sign-in-steps.ts';
import type { GroupRepository } from '../groups/group-repository.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { PasswordService } from '../passwords/password-service.ts';
import { type FindAccount, type KnownAccount, reaches } from '../provider/accounts.ts';
import { browserSessionOf, raiseBrowserSession } from '../provider/browser-session.ts';
import { assistantsPage, consolePage, settingsPage } from '../provider/clients.ts';
import type { OpenProvider } from '../provider/provider-holder.ts';
import type { SignInStore } from '../provider/provider-store.ts';
import { accountIdOf } from '../tokens/account-id.ts';
import type { TokenService } from '../tokens/token-service.ts';
import type { JoinedBrowsers } from './joined-browsers.ts';
import type { SignInLinks } from './sign-in-links.ts';
import { consentPage, type SignInPage, signInPage } from './sign-in-page.ts';

export interface SignInServices {
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly passwords: PasswordService;
  readonly store: SignInStore;
  readonly openProvider: OpenProvider;
  readonly findAccount: FindAccount;
  /** Finds those too whose second factor is still to come. */
  readonly findAccountInSignIn: FindAccount;
  readonly factors: FactorService;
  readonly firstFactors: FirstFactors;
  readonly clock: Clock;
  /** Absent where only accounts of the company sign in. */
  readonly joined?: JoinedBrowsers | undefined;
  /** Absent on the platform of a team. */
  readonly links?: SignInLinks | undefined;
  /** Absent where the company has no provider of its own. */
  readonly company?: CompanyServices | undefined;
}

interface CompanyServices {
  readonly signOn: CompanySignOn;
  readonly people: CompanyPeople;
  readonly groups: GroupRepository;
  readonly underWay: SignOnRepository;
  readonly logger: Logger;
}

/** Clients that belong to no environment, and what they want. */
const ownClients: Readonly<Record<string, string>> = {
  [commandLineClientId]: 'The command line wants to act for you.',
  [settingsPage.clientId]: 'You want to open the settings of the platform.',
  [assistantsPage.clientId]: 'You want to answer your assistants.',
  [consolePage.clientId]: 'You want to open the console.',
};

export type Interaction = Awaited<ReturnType<typeof interactionOf>>;

/** The sign-in that is under way in the browser of a request. */
export async function interactionOf(request: FastifyRequest, reply: FastifyReply, services: SignInServices) {
  const provider = await services.openProvider();
  const details = await provider.interactionDetails(request.raw, reply.raw).catch((cause: unknown) => {
    throw notUnderWay(cause);
  });
  // The page of another sign-in of the same browser says other names.
  const { uid } = request.params as { readonly uid?: string };
  if (details.uid !== uid) throw notUnderWay(undefined);
  const clientId = String(details.params['client_id']);
  const client = await provider.Client.find(clientId);
  const environment = await services.identity.findEnvironment(Number(client?.['environment_id'] ?? 0));
  if (!environment && !Object.hasOwn(ownClients, clientId)) throw notUnderWay(undefined);
  const returnOrigin = URL.parse(String(details.params['redirect_uri']))?.origin;
  const { company, links, findAccount } = services;
  const hasLinks = links !== undefined;
  const { login_hint: hint } = details.params;
  const email = typeof hint === 'string' ? hint : undefined;
  const asked = { provider, environment, clientId, returnOrigin, uid, company, hasLinks, email };
  const fits = (account: KnownAccount | undefined) =>
    account !== undefined && (!environment || reaches(account, environment.projectId));
  if (details.prompt.name === 'consent') {
    const account = await findAccount(details.session?.accountId);
    if (fits(account)) return { ...asked, prompt: 'consent', takesCredentials: false, account };
  }
  // Whoever has signed in meanwhile, on another page, is asked no more than whether they agree.
  const isOpen = details.prompt.reasons.every((reason) => reason === 'no_session');
  const session = isOpen ? await browserSessionOf(request, reply, services) : undefined;
  const found = fits(session?.account)
    ? { prompt: 'consent', account: session?.account }
    : { prompt: 'login', account: undefined };
  return { ...asked, ...found, takesCredentials: true };
}

export function notUnderWay(cause: unknown): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'No such sign-in is under way in this browser, or it has taken too long.',
    'Begin to sign in again.',
    { cause },
  );
}

/**
 * Somebody has signed in: whatever the way, a second factor comes next where one is asked of them. Then the browser goes back to the
 * provider. Whoever signs in for an agent has read its name, and agrees to it.
 */
export async function finishSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { provider, clientId, uid }: Interaction,
  account: SignedIn,
  { store, factors, firstFactors, openProvider, clock }: SignInServices,
) {
  if (!account.hasSecondFactor && (await factors.isAsked(account.userId))) {
    await firstFactors.note(uid, account);
    return reply.redirect(factorPath(uid), 303);
  }
  await raiseBrowserSession(request, reply, openProvider, account);
  const { findOrMakeGrant } = await import('../provider/create-provider.ts');
  const accountId = accountIdOf(account);
  const grantId = await findOrMakeGrant(provider, store, clientId, accountId);
  reply.hijack();
  const ts = Math.floor(clock.now() / 1000);
  const result = { login: { accountId, remember: false, ts }, consent: { grantId } };
  await provider.interactionFinished(request.raw, reply.raw, result);
  return reply;
}

/** The page of a sign-in that asks for the second factor. */
function factorPath(uid: string): string {
  return `/sign-in/${uid}/factor`;
}

/** Why somebody cannot sign in here although it is known who they are; `undefined` for members. */
export async function whyStranger(
  identity: IdentityRepository,
  { environment }: Interaction,
  account: KnownAccount | undefined,
): Promise<string | undefined> {
  if (await isMember(identity, environment, account)) return undefined;
  if (account?.limit && environment && !reaches(account, environment.projectId)) {
    return 'The token is for another project. Sign in with your password or account, or with a token of this project.';
  }
  return environment ? 'You are not a member of this project.' : 'You are not a member of any project.';
}

export async function isMember(
  identity: IdentityRepository,
  environment: EnvironmentRecord | undefined,
  account: KnownAccount | undefined,
): Promise<boolean> {
  if (!account) return false;
  const { userId } = account;
  if (!environment) return (await identity.listProjects(userId)).some(({ id }) => reaches(account, id));
  const { projectId } = environment;
  return reaches(account, projectId) && (await identity.findMember(projectId, userId)) !== undefined;
}

/** The page of a sign-in: it asks who somebody is, or whether they agree. */
export function showPage(
  reply: FastifyReply,
  interaction: Interaction,
  texts: Pick<SignInPage, 'problem' | 'email' | 'refused'>,
) {
  const { environment: record, clientId, returnOrigin, prompt, uid, company, hasLinks, email } = interaction;
  const wish = ownClients[clientId] ?? '';
  const environment = record && { project: record.projectName, name: record.name };
  const companySignOn = company && { path: companyPath(uid), isOnly: company.signOn.isOnly };
  const isConsent = prompt === 'consent' && texts.problem === undefined;
  const page = isConsent
    ? consentPage(environment, wish)
    : signInPage({ environment, wish, companySignOn, hasLinks, ...(email === undefined ? {} : { email }), ...texts });
  const formTargets = returnOrigin === undefined ? [] : [returnOrigin];
  return reply.headers(pageHeaders({ formTargets, hasScript: hasLinks && !isConsent })).send(page);
}

/** Where signing in with an account of the company begins. */
function companyPath(uid: string): string {
  return `/sign-in/${uid}/company/begin`;
}
