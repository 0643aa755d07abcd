import type { IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { agentRegistrationSchema } from '#contracts/sign-in';
import { CloudError } from '#kernel/errors/cloud-error';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { Guards } from '../server/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { TokenService } from '../tokens/token-service.ts';
import type { OpenProvider } from './provider-holder.ts';
import { signInPage, signInPageHeaders } from './sign-in-page.ts';
import type { SignInStore } from './sign-in-store.ts';

export interface SignInServices {
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly store: SignInStore;
  readonly openProvider: OpenProvider;
  /** Lets agents register. */
  readonly registration: Guards['registration'];
}

/** Addresses of agents of one environment; the one that registered last is known longest. */
const maxAddresses = 50;

/** How people sign in to an agent: it registers, sends the browser here, and the browser goes back with a code. */
export function registerSignInRoutes(server: FastifyInstance, services: SignInServices): void {
  registerAgents(server, services);
  server.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser<string>(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 4096 },
      (_request, text, done) => done(null, parseForm(text)),
    );
    own.get('/sign-in/:uid', async (request, reply) => {
      const { environment } = await interactionOf(request, reply, services);
      return reply.headers(signInPageHeaders).send(pageOf(environment));
    });
    own.post('/sign-in/:uid', (request, reply) => signIn(request, reply, services));
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
      await provider.callback()(raw, reply.raw);
    });
  });
}

/**
 * One client for each environment. Browsers come back to the address that the platform has of the agent, else to that of the
 * agent that asks; those of its other agents stay good.
 */
function registerAgents(server: FastifyInstance, { store, registration }: SignInServices): void {
  server.post('/oidc/reg', { onRequest: registration.check }, async (request, reply) => {
    const environment = registration.of(request);
    const { redirect_uris } = parseInput(agentRegistrationSchema, request.body ?? {});
    const clientId = `agent-of-environment-${environment.id}`;
    const own = environment.apiEndpoint === null && redirect_uris ? redirect_uris : [addressOf(environment)];
    const client = {
      client_id: clientId,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      environment_id: environment.id,
    } as const;
    await store.changeClient(clientId, (before) => {
      const others = (before?.['redirect_uris'] as string[] | undefined) ?? [];
      const known = [...new Set([...own, ...others])].slice(0, maxAddresses);
      return { ...client, redirect_uris: known } as never;
    });
    return reply.code(201).send({ ...client, redirect_uris: own });
  });
}

function addressOf({ apiEndpoint }: EnvironmentRecord): string {
  if (apiEndpoint !== null) return new URL('service/authentication/callback', `${apiEndpoint}/`).href;
  throw new CloudError({
    code: 'REQUEST_INVALID',
    message: '"redirect_uris" is missing, and the environment has no address of its agent.',
    nextSteps: ['Send where browsers come back to.'],
  });
}

/** The token decides who somebody is; it must belong to the project whose agent asks. */
async function signIn(request: FastifyRequest, reply: FastifyReply, services: SignInServices) {
  const { environment, provider } = await interactionOf(request, reply, services);
  const token = typeof request.body === 'object' && request.body && 'token' in request.body ? request.body.token : '';
  const refuse = (problem: string) =>
    reply
      .code(401)
      .headers(signInPageHeaders)
      .send(signInPage({ ...namesOf(environment), problem }));
  let userId: number;
  try {
    ({ userId } = await services.tokens.verify(String(token).trim()));
  } catch {
    return refuse('That is no token of this platform, or it is no longer valid.');
  }
  const members = await services.identity.listMembers(environment.projectId);
  if (!members.some(({ id }) => id === userId)) return refuse('You are not a member of this project.');
  reply.hijack();
  await provider.interactionFinished(request.raw, reply.raw, { login: { accountId: String(userId), remember: false } });
  return reply;
}

async function interactionOf(request: FastifyRequest, reply: FastifyReply, services: SignInServices) {
  const provider = await services.openProvider();
  const details = await provider.interactionDetails(request.raw, reply.raw).catch((cause: unknown) => {
    throw notUnderWay(cause);
  });
  // The page of another sign-in of the same browser says other names.
  const { uid } = request.params as { readonly uid?: string };
  if (details.uid !== uid) throw notUnderWay(undefined);
  const client = await provider.Client.find(String(details.params['client_id']));
  const environment = await services.identity.findEnvironment(Number(client?.['environment_id']));
  if (!environment) throw notUnderWay(undefined);
  return { provider, environment };
}

function namesOf({ projectName, name }: EnvironmentRecord) {
  return { project: projectName, environment: name };
}

function pageOf(environment: EnvironmentRecord): string {
  return signInPage(namesOf(environment));
}

function notUnderWay(cause: unknown): CloudError {
  return new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: 'No such sign-in is under way in this browser, or it has taken too long.',
    nextSteps: ['Begin to sign in again.'],
    cause,
  });
}
