import type { IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CloudError } from '#kernel/errors/cloud-error';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { PasswordService } from '../passwords/password-service.ts';
import { clientAddress } from '../server/client-address.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { commandLineClientId } from './clients.ts';
import { pageHeaders } from './page.ts';
import type { OpenProvider } from './provider-holder.ts';
import { consentPage, type SignInPage, signInPage } from './sign-in-page.ts';
import type { SignInStore } from './sign-in-store.ts';

export interface SignInServices {
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly passwords: PasswordService;
  readonly store: SignInStore;
  readonly openProvider: OpenProvider;
}

type Form = Readonly<Record<string, string | string[] | undefined>>;

/** How people sign in: an agent or the command line sends the browser here, and it goes back with a code. */
export function registerSignInRoutes(server: FastifyInstance, services: SignInServices): void {
  server.register(async (own) => {
    acceptForms(own);
    own.get('/sign-in/:uid', async (request, reply) => {
      const interaction = await interactionOf(request, reply, services);
      return showPage(reply, interaction, {});
    });
    own.post('/sign-in/:uid', async (request, reply) => {
      const interaction = await interactionOf(request, reply, services);
      const form = (request.body ?? {}) as Form;
      return services.store.withAddress(request.ip, () =>
        interaction.prompt === 'consent'
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
      await services.store.withAddress(request.ip, () => provider.callback()(raw, reply.raw));
    });
  });
}

/** Pages send forms, and nothing else is taken from them. */
export function acceptForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4096 },
    (_request, text, done) => done(null, parseForm(text)),
  );
}

type Interaction = Awaited<ReturnType<typeof interactionOf>>;

/** An e-mail and its password, or a token, decide who somebody is; an agent asks for members of its project. */
async function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
  form: Form,
  services: SignInServices,
) {
  const email = String(form['email'] ?? '');
  const refuse = (problem: string) => showPage(reply.code(401), interaction, { problem, email });
  const userId =
    form['token'] === undefined
      ? await services.passwords.check({ email, address: clientAddress(request) }, String(form['password'] ?? ''))
      : await ownerOf(String(form['token']).trim(), services.tokens);
  if (userId === undefined) {
    return refuse(
      form['token'] === undefined
        ? 'The e-mail or the password is wrong, or there were too many tries. Check both, wait a little and try again.'
        : 'That is no token of this platform, or it is no longer valid.',
    );
  }
  const { environment } = interaction;
  if (!(await isMember(services.identity, environment, userId))) {
    return refuse(environment ? 'You are not a member of this project.' : 'You are not a member of any project.');
  }
  return finish(request, reply, interaction, userId, services);
}

/** Go back to the provider as a person. Signing in for an agent, having been told its name, is agreeing to it. */
async function finish(
  request: FastifyRequest,
  reply: FastifyReply,
  { provider, clientId }: Interaction,
  userId: number,
  { store }: SignInServices,
) {
  const { findOrMakeGrant } = await import('./create-provider.ts');
  const accountId = String(userId);
  const grantId = await findOrMakeGrant(provider, store, clientId, accountId);
  reply.hijack();
  const result = { login: { accountId, remember: false }, consent: { grantId } };
  await provider.interactionFinished(request.raw, reply.raw, result);
  return reply;
}

async function consent(
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
  form: Form,
  services: SignInServices,
) {
  const { environment, provider, accountId } = interaction;
  const isAllowed = await isMember(services.identity, environment, Number(accountId));
  if (form['answer'] === 'yes' && isAllowed) {
    return finish(request, reply, interaction, Number(accountId), services);
  }
  reply.hijack();
  const error_description = isAllowed ? 'You have cancelled.' : 'You are not a member of this project.';
  await provider.interactionFinished(request.raw, reply.raw, { error: 'access_denied', error_description });
  return reply;
}

async function ownerOf(token: string, tokens: TokenService): Promise<number | undefined> {
  try {
    return (await tokens.verify(token)).userId;
  } catch {
    return undefined;
  }
}

async function isMember(
  identity: IdentityRepository,
  environment: EnvironmentRecord | undefined,
  userId: number,
): Promise<boolean> {
  if (!environment) return (await identity.listProjects(userId)).length > 0;
  return (await identity.findMember(environment.projectId, userId)) !== undefined;
}

function showPage(reply: FastifyReply, interaction: Interaction, texts: Pick<SignInPage, 'problem' | 'email'>) {
  const { environment: record, returnOrigin, prompt } = interaction;
  const environment = record && { project: record.projectName, name: record.name };
  const page = prompt === 'consent' ? consentPage(environment) : signInPage({ environment, ...texts });
  return reply.headers(pageHeaders(returnOrigin === undefined ? [] : [returnOrigin])).send(page);
}

/** The sign-in that is under way in the browser of a request. */
async function interactionOf(request: FastifyRequest, reply: FastifyReply, services: SignInServices) {
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
  if (!environment && clientId !== commandLineClientId) throw notUnderWay(undefined);
  const returnOrigin = URL.parse(String(details.params['redirect_uri']))?.origin;
  const accountId = details.session?.accountId;
  return { provider, environment, clientId, returnOrigin, accountId, prompt: details.prompt.name };
}

function notUnderWay(cause: unknown): CloudError {
  return new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: 'No such sign-in is under way in this browser, or it has taken too long.',
    nextSteps: ['Begin to sign in again.'],
    cause,
  });
}
