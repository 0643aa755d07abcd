import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { createApiTokenSchema, newApiTokenSchema, rotateApiTokenSchema } from '#contracts/api-tokens';
import { factorPagePath } from '#contracts/second-factor';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Random } from '#kernel/ports/random';
import { pageHeaders } from '#node/http/html-page';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import { reaches } from '../provider/accounts.ts';
import {
  type BrowserSession,
  browserSessionOf,
  pageSignInUrl,
  refuseForeignForm,
  type SignedInBrowsers,
} from '../provider/browser-session.ts';
import { settingsPage } from '../provider/clients.ts';
import { servePages } from '../provider/serve-pages.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import { type ApiTokenService, signedInByToken, type TokenManager } from './api-token-service.ts';
import { renderTokenPage, type TokenPage, tokenPagePath } from './token-page.ts';

export interface TokenPageServices extends SignedInBrowsers {
  readonly tokens: ApiTokenService;
  readonly identity: IdentityRepository;
  readonly random: Random;
}

const creationSchema = z.object({
  key: z.uuid(),
  name: z.string(),
  scopes: z.union([z.array(z.string()), z.string().transform((scope) => [scope])]).default([]),
  life: z.string().regex(/^(?:\d{1,3}|never)$/),
});
/** The page of the settings that somebody wanted to open. */
const broughtSchema = z.object({ state: z.string().optional() });
const placeSchema = z.object({ project: z.string().optional() });
const tokenSchema = z.object({ id: z.coerce.number().int().positive() });

/** What one request to the page is about. */
interface Visit {
  readonly session: BrowserSession;
  readonly projects: readonly string[];
  readonly project: string;
  readonly manager: TokenManager;
}

/** The page `/settings/tokens`, for administrators who are signed in to the platform in their browser. */
export function registerTokenPage(server: FastifyInstance, services: TokenPageServices): void {
  const { openProvider, random } = services;
  server.register(async (own) => {
    servePages(own);
    own.get(settingsPage.callbackPath, async (request, reply) => {
      if (!(await browserSessionOf(request, reply, services))) throw notSignedIn();
      const { state } = parseInput(broughtSchema, request.query);
      return reply.redirect(state === factorPagePath ? factorPagePath : tokenPagePath, 303);
    });
    own.get(tokenPagePath, async (request, reply) => {
      const session = await browserSessionOf(request, reply, services);
      if (!session) return reply.redirect(await pageSignInUrl(openProvider, random, settingsPage), 303);
      return show(
        reply,
        await visitOf(request, session, parseInput(placeSchema, request.query).project, services),
        services,
      );
    });
    own.post(tokenPagePath, async (request, reply) => {
      const session = await browserSessionOf(request, reply, services);
      if (!session) throw notSignedIn();
      const form = parseInput(z.record(z.string(), z.unknown()), request.body ?? {});
      refuseForeignForm(session, form);
      const visit = await visitOf(request, session, parseInput(placeSchema, form).project, services);
      return carryOut(reply, { visit, form }, services);
    });
  });
}

type SentForm = { readonly visit: Visit; readonly form: Readonly<Record<string, unknown>> };

async function carryOut(reply: FastifyReply, { visit, form }: SentForm, services: TokenPageServices) {
  const { tokens } = services;
  const { manager, project } = visit;
  if (form['do'] === 'create') return create(reply, { visit, form }, services);
  const { id } = parseInput(tokenSchema, form);
  if (form['do'] === 'rotate') {
    refuseSignInByToken(visit.session);
    const { name, token } = await tokens.rotate(manager, id, rotateApiTokenSchema.parse({}));
    return show(reply, visit, services, { made: { name, secret: token } });
  }
  await tokens.revoke(manager, id);
  return reply.redirect(`${tokenPagePath}?project=${encodeURIComponent(project)}`, 303);
}

/** A form that is not valid comes back with what is wrong. */
async function create(reply: FastifyReply, { visit, form }: SentForm, services: TokenPageServices) {
  const { key, name, scopes, life } = parseInput(creationSchema, form);
  refuseSignInByToken(visit.session);
  try {
    if (scopes.length === 0) throw nothingChosen();
    const end = life === 'never' ? { neverExpires: true } : { expiresInSeconds: Number(life) * 86_400 };
    const input = parseInput(createApiTokenSchema, { name, scopes, ...end });
    const { body } = await services.tokens.create(visit.manager, input, key);
    const { token: secret } = newApiTokenSchema.partial({ token: true }).parse(body);
    return show(reply, visit, services, { made: { name, secret } });
  } catch (error) {
    if (!isCloudError(error) || error.kind !== 'user') throw error;
    const problem = `${error.message} ${error.nextSteps.join(' ')}`;
    return show(reply.code(422), visit, services, { problem, typed: { name, scopes } });
  }
}

/** The project that the page is about: the one that is named, or the first that the person administers. */
async function visitOf(
  request: FastifyRequest,
  session: BrowserSession,
  named: string | undefined,
  { identity }: TokenPageServices,
): Promise<Visit> {
  const administered: { readonly name: string; readonly manager: Visit['manager'] }[] = [];
  for (const { id, name } of await identity.listProjects(session.userId)) {
    if (!reaches(session.account, id)) continue;
    const user = await identity.findMember(id, session.userId);
    if (user?.permissionLevel === 'admin')
      administered.push({ name, manager: { projectId: id, user, address: clientAddress(request) } });
  }
  const chosen = named === undefined ? administered[0] : administered.find(({ name }) => name === named);
  if (!chosen) throw noAdministrator();
  return { session, projects: administered.map(({ name }) => name), project: chosen.name, manager: chosen.manager };
}

async function show(
  reply: FastifyReply,
  { session, projects, project, manager }: Visit,
  { tokens, random }: TokenPageServices,
  news: Pick<TokenPage, 'problem' | 'made' | 'typed'> = {},
) {
  const page = renderTokenPage({
    project,
    projects,
    tokens: await tokens.list(manager),
    formToken: session.formToken,
    creationKey: random.uuid(),
    ...news,
  });
  return reply.headers(pageHeaders({ hasScript: news.made !== undefined })).send(page);
}

function refuseSignInByToken({ account }: BrowserSession): void {
  if (account.limit) throw signedInByToken();
}

function notSignedIn(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'You are not signed in, or your browser does not keep cookies of this platform.',
    `Allow them, then open ${tokenPagePath} again.`,
  );
}

function noAdministrator(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'You do not administer this project, or any project.',
    'Ask an administrator of the project.',
  );
}

function nothingChosen(): CloudError {
  return cloudError('REQUEST_INVALID', 'The token may do nothing.', 'Choose at least one thing that it may do.');
}
