import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Random } from '#kernel/ports/random';
import { pageHeaders } from '#node/http/html-page';
import { isSameSecret } from '#node/system/secrets';
import { authorOf } from '../audit/admin-log.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import { reaches } from '../provider/accounts.ts';
import {
  type BrowserSession,
  browserSessionOf,
  pageSignInUrl,
  type SignedInBrowsers,
} from '../provider/browser-session.ts';
import { assistantsPage } from '../provider/clients.ts';
import { servePages } from '../provider/serve-pages.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import { assistantsPagePath, type MarkOnPage, renderAssistantsPage } from './assistants-page.ts';
import type { WhichMarks } from './find-mark.ts';
import { type MarkServices, noAsk, noMark } from './mark-routes.ts';

export interface AssistantsPageServices extends SignedInBrowsers, MarkServices {
  readonly identity: IdentityRepository;
  readonly random: Random;
}

const formSchema = z.object({
  formToken: z.string(),
  do: z.enum(['yes', 'no', 'clear']),
  environment: z.coerce.number().int(),
  id: z.string(),
});
const markId = z.coerce.number().int().positive();

/** The page `/settings/assistants`, for everybody who is signed in to the platform in their browser. */
export function registerAssistantsPage(server: FastifyInstance, services: AssistantsPageServices): void {
  const { openProvider, random } = services;
  server.register(async (own) => {
    servePages(own);
    own.get(assistantsPage.callbackPath, async (request, reply) => {
      if (await browserSessionOf(request, reply, services)) return reply.redirect(assistantsPagePath, 303);
      throw notSignedIn();
    });
    own.get(assistantsPagePath, async (request, reply) => {
      const session = await browserSessionOf(request, reply, services);
      if (!session) return reply.redirect(await pageSignInUrl(openProvider, random, assistantsPage), 303);
      const page = renderAssistantsPage({ marks: await marksFor(session, services), formToken: session.formToken });
      return reply.headers(pageHeaders()).send(page);
    });
    own.post(assistantsPagePath, async (request, reply) => {
      const session = await browserSessionOf(request, reply, services);
      if (!session) throw notSignedIn();
      await carryOut(request, session, services);
      return reply.redirect(assistantsPagePath, 303);
    });
  });
}

async function carryOut(request: FastifyRequest, session: BrowserSession, services: AssistantsPageServices) {
  const { formToken, do: deed, environment: environmentId, id } = parseInput(formSchema, request.body ?? {});
  if (!isSameSecret(formToken, session.formToken)) throw foreignForm();
  // A token of the person may be in the hands of the assistant.
  if (session.account.limit) throw signedInByToken();
  const environments = await environmentsOf(session, services);
  if (!environments.some((environment) => environment.id === environmentId)) throw noMark();
  const which = whichOf(session, environmentId, services);
  if (deed === 'clear') {
    const author = authorOf(session.account.user, clientAddress(request));
    if (!(await services.marks.clear(parseInput(markId, id), which, author))) throw noMark();
  } else if (!(await services.asks.answer(id, which, deed))) throw noAsk();
}

async function marksFor(session: BrowserSession, services: AssistantsPageServices): Promise<readonly MarkOnPage[]> {
  const found = (await environmentsOf(session, services)).map(async ({ id, projectName }) => {
    const marks = await services.marks.list(whichOf(session, id, services));
    return marks.map((mark): MarkOnPage => ({ project: projectName, environmentId: id, mark }));
  });
  return (await Promise.all(found)).flat();
}

function whichOf(
  { userId }: BrowserSession,
  environmentId: number,
  { isOfOneDeveloper }: AssistantsPageServices,
): WhichMarks {
  return { environmentId, personId: isOfOneDeveloper ? undefined : userId };
}

async function environmentsOf(
  { userId, account }: BrowserSession,
  { identity }: AssistantsPageServices,
): Promise<readonly EnvironmentRecord[]> {
  const projects = (await identity.listProjects(userId)).filter(({ id }) => reaches(account, id));
  return (await Promise.all(projects.map(({ id }) => identity.listEnvironments(id)))).flat();
}

function notSignedIn(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'You are not signed in, or your browser does not keep cookies of this platform.',
    `Allow them, then open ${assistantsPagePath} again.`,
  );
}

function foreignForm(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'The form is of another sign-in, or does not come from this page.',
    'Open the page again and repeat what you did.',
  );
}

function signedInByToken(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'Whoever signed in with a token does not answer for the person of the token.',
    'Sign in with your password or account.',
  );
}
