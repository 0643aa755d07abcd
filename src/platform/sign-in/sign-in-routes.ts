import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { whenClosed } from '#kernel/async/when-closed';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SignedIn } from '../factors/sign-in-steps.ts';
import { companyCallbackPath, consolePage } from '../provider/clients.ts';
import { servePages } from '../provider/serve-pages.ts';
import { clientAddress } from '../server/client-address.ts';
import { requireOwnForm, requireSameMachine } from '../server/same-machine.ts';
import { type Account, accountIdOf } from '../tokens/account-id.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { registerFactorStep } from './factor-step.ts';
import {
  finishSignIn,
  type Interaction,
  interactionOf,
  isMember,
  notUnderWay,
  type SignInServices,
  showPage,
  whyStranger,
} from './sign-in-interaction.ts';

type Form = Readonly<Record<string, string | string[] | undefined>>;

/** How people sign in: an agent or the command line sends the browser here, and it goes back with a code. */
export function registerSignInRoutes(server: FastifyInstance, services: SignInServices): void {
  server.register(async (own) => {
    servePages(own);
    own.get('/sign-in/:uid', async (request, reply) => {
      const interaction = await interactionOf(request, reply, services);
      const joined = await whoHasJoined(request, interaction, services);
      if (!joined) return showPage(reply, interaction, {});
      return services.store.withOrigin(request, () => finishSignIn(request, reply, interaction, joined, services));
    });
    registerCompanyRoutes(own, services);
    registerFactorStep(own, services);
    own.post('/sign-in/:uid', async (request, reply) => {
      const interaction = await interactionOf(request, reply, services);
      const form = (request.body ?? {}) as Form;
      // A form that asked who it is may come after somebody has signed in on another page.
      const isAnswer =
        interaction.prompt === 'consent' && !(interaction.takesCredentials && form['answer'] === undefined);
      return services.store.withOrigin(request, () =>
        isAnswer
          ? consent(request, reply, interaction, form, services)
          : signIn(request, reply, interaction, form, services),
      );
    });
  });
  server.register(async (own) => {
    // The provider reads bodies itself.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', (_request, _payload, done) => done(null));
    own.all('/oidc/*', async (request, reply) => {
      const provider = await services.openProvider();
      const raw: IncomingMessage & { originalUrl?: string } = request.raw;
      // Its links begin like its issuer, whatever a proxy makes of the request or says of itself.
      const { host, protocol } = new URL(provider.issuer);
      Object.assign(raw.headers, { 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) });
      raw.originalUrl = raw.url ?? '/';
      raw.url = raw.originalUrl.slice('/oidc'.length);
      reply.hijack();
      await services.store.withOrigin(request, () => provider.callback()(raw, reply.raw));
    });
  });
}

/** An e-mail and its password, a token or a one-time link decide who somebody is; an agent asks for members of its project. */
async function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
  form: Form,
  services: SignInServices,
) {
  if (interaction.company?.signOn.isOnly) return showPage(reply.code(403), interaction, { problem: companyOnly });
  const email = String(form['email'] ?? '');
  const refused = form['link'] !== undefined ? 'link' : form['token'] !== undefined ? 'token' : 'password';
  const refuse = (problem: string) => showPage(reply.code(401), interaction, { problem, email, refused });
  const account = await {
    link: async () => userOfLink(request, String(form['link']), services),
    token: () => ownerOf(String(form['token']).trim(), services.tokens),
    password: () => checkPassword(request, reply, email, String(form['password'] ?? ''), services),
  }[refused]();
  if (account === 'busy') {
    reply.code(429).header('retry-after', String(busySeconds));
    return showPage(reply, interaction, { problem: busy, email, refused });
  }
  if (account === undefined) return refuse(problems[refused]);
  const known = await services.findAccountInSignIn(accountIdOf(account));
  const stranger = await whyStranger(services.identity, interaction, known);
  if (stranger !== undefined) return refuse(stranger);
  return finishSignIn(request, reply, interaction, account, services);
}

/** Who has just joined in this browser, and opens the console: they gave their password then. A second factor comes next as ever. */
async function whoHasJoined(
  request: FastifyRequest,
  interaction: Interaction,
  { joined, identity, findAccountInSignIn }: SignInServices,
): Promise<SignedIn | undefined> {
  if (interaction.clientId !== consolePage.clientId || interaction.prompt !== 'login') return undefined;
  const userId = joined?.take(request);
  if (userId === undefined) return undefined;
  const known = await findAccountInSignIn(accountIdOf({ userId }));
  return (await whyStranger(identity, interaction, known)) === undefined ? { userId } : undefined;
}

async function consent(
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
  form: Form,
  services: SignInServices,
) {
  const { environment, provider, account } = interaction;
  const isAllowed = await isMember(services.identity, environment, account);
  if (form['answer'] === 'yes' && account && isAllowed) {
    return finishSignIn(request, reply, interaction, account, services);
  }
  reply.hijack();
  const error_description = isAllowed
    ? 'You have cancelled.'
    : await whyStranger(services.identity, interaction, account);
  await provider.interactionFinished(request.raw, reply.raw, { error: 'access_denied', error_description });
  return reply;
}

/** A link that somebody pasted whole counts as its secret. */
function userOfLink(request: FastifyRequest, given: string, { links }: SignInServices): SignedIn | undefined {
  requireSameMachine(request);
  requireOwnForm(request);
  const userId = links?.use(given.trim().slice(given.trim().lastIndexOf('#') + 1));
  return userId === undefined ? undefined : { userId, isVouched: true };
}

async function checkPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
  password: string,
  { passwords }: SignInServices,
): Promise<Account | undefined | 'busy'> {
  const gone = new AbortController();
  whenClosed(reply.raw, () => gone.abort());
  try {
    const userId = await passwords.check({ email, address: clientAddress(request) }, password, gone.signal);
    return userId === undefined ? undefined : { userId };
  } catch (error) {
    if (isCloudError(error) && error.code === 'SIGN_IN_BUSY') return 'busy';
    throw error;
  }
}

async function ownerOf(token: string, tokens: TokenService): Promise<Account | undefined> {
  try {
    const { id, userId, isPrinted, hasSecondFactor } = await tokens.verify(token);
    return isPrinted ? undefined : { userId, tokenId: id, hasSecondFactor };
  } catch {
    return undefined;
  }
}

const problems = {
  password:
    'The e-mail or the password is wrong, or there were too many tries. Check both, wait a little and try again.',
  link: 'This link was used, is older than a minute, or a newer one took its place. Make another one.',
  token: 'That is not a token of this platform, or it is no longer valid.',
} as const;

const busySeconds = 5;
const busy = 'Too many people try to sign in at this moment. Wait a few seconds, and try again.';
const companyOnly = 'This platform takes company accounts only.';

/** Signing in with an account of the company: there and back again. */
function registerCompanyRoutes(server: FastifyInstance, services: SignInServices): void {
  const { company } = services;
  if (!company) return;
  const { signOn, people, groups, underWay, logger } = company;
  server.get('/sign-in/:uid/company/begin', async (request, reply) => {
    const interaction = await interactionOf(request, reply, services);
    const begun = await signOn.begin().catch((error: unknown) => {
      logger.log('Error', 'Signing in with company accounts does not work.', { error });
      return undefined;
    });
    if (!begun) return showPage(reply.code(502), interaction, { problem: noAnswer });
    await underWay.add(interaction.uid, begun.secrets);
    return reply.redirect(begun.url, 303);
  });
  // The cookie that tells the browser is sent only to the page of its sign-in.
  server.get(companyCallbackPath, async (request, reply) => {
    const query = queryOf(request);
    const uid = await underWay.findUid(query.get('state') ?? '');
    if (uid === undefined) throw notUnderWay(undefined);
    return reply.redirect(`/sign-in/${uid}/company?${query}`, 303);
  });
  server.get('/sign-in/:uid/company', async (request, reply) => {
    const interaction = await interactionOf(request, reply, services);
    const query = queryOf(request);
    const secrets = await underWay.take(interaction.uid, query.get('state') ?? '');
    if (!secrets) throw notUnderWay(undefined);
    const refuse = (problem: string) => {
      logger.log('Warn', 'A company account was refused.', { reason: problem });
      return showPage(reply.code(403), interaction, { problem });
    };
    try {
      const person = await signOn.finish(query, secrets);
      const userId = await people.resolve(person, interaction.environment?.projectId, clientAddress(request));
      if (userId === undefined) return refuse(`Nobody has invited ${person.email} to this platform.`);
      const account = { userId, hasSecondFactor: person.hasSecondFactor, isVouched: true };
      const known = await services.findAccountInSignIn(accountIdOf(account));
      const stranger = await whyStranger(services.identity, interaction, known);
      if (stranger !== undefined) return refuse(stranger);
      if (person.hasUnnamedGroups) logger.log('Warn', unnamedGroups, { person: userId });
      await groups.signedIn(userId, person.groups, clientAddress(request));
      return await services.store.withOrigin(request, () =>
        finishSignIn(request, reply, interaction, account, services),
      );
    } catch (error) {
      if (isCloudError(error) && error.code === 'SIGN_IN_REFUSED') return refuse(error.message);
      throw error;
    }
  });
}

const unnamedGroups = 'The company says that somebody is in groups, and does not name them. They count as none.';
const noAnswer = 'The sign-in of your company does not answer as it should. Try again, or tell an administrator.';

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '');
}
