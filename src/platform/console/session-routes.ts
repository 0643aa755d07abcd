import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { consolePath, consoleSignInPath, consoleSignOutPath } from '#contracts/console';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Random } from '#kernel/ports/random';
import type { AgentTokens } from '../agent-access/agent-tokens.ts';
import { requireOwnPage } from '../page-access/page-session.ts';
import {
  browserSessionOf,
  endBrowserSession,
  pageSignInUrl,
  type SignedInBrowsers,
} from '../provider/browser-session.ts';
import { consolePage } from '../provider/clients.ts';
import { servePages } from '../provider/serve-pages.ts';
import { parseInput } from '../server/parse-input.ts';

export interface ConsoleSessionServices extends SignedInBrowsers {
  readonly random: Random;
  /** What the platform has at agents for the browsers that are signed in. */
  readonly agentTokens: Pick<AgentTokens, 'end'>;
}

const askedSchema = z.object({
  return: z.string().max(8000).default(consolePath),
  /** Who wants to sign in, so that the form has it already. */
  email: z.string().max(254).optional(),
});
const broughtSchema = z.object({ state: z.string().max(8000).optional() });

/** How a browser gets the session that the console works with, and how it loses it. */
export function registerConsoleSession(server: FastifyInstance, services: ConsoleSessionServices): void {
  const { openProvider, random, agentTokens } = services;
  server.register(async (own) => {
    servePages(own);
    own.get(consoleSignInPath, async (request, reply) => {
      const { return: wanted, email } = parseInput(askedSchema, request.query);
      const place = placeInConsole(wanted);
      if (await browserSessionOf(request, reply, services)) return reply.redirect(place, 303);
      return reply.redirect(await pageSignInUrl(openProvider, random, consolePage, { state: place, email }), 303);
    });
    own.get(consolePage.callbackPath, async (request, reply) => {
      const { state } = parseInput(broughtSchema, request.query);
      if (!(await browserSessionOf(request, reply, services))) throw notSignedIn();
      return reply.redirect(state === undefined ? consolePath : placeInConsole(state), 303);
    });
  });
  server.post(consoleSignOutPath, async (request, reply) => {
    requireOwnPage(request);
    await agentTokens.end(await endBrowserSession(request, reply, openProvider));
    return reply.code(204).send();
  });
}

/** What is below the console, and not a place in it. */
const noPlaces = /^\/console\/(?:sign-in|sign-out|agent)(?:\/|$)/;

/**
 * A path of the console, as browsers read it. It leads to no other host, and to no other part of the platform.
 *
 * @throws `REQUEST_INVALID`
 */
function placeInConsole(asked: string): string {
  const base = 'http://platform.invalid';
  const url = URL.parse(asked, base);
  const isPlace = url?.origin === base && url.pathname.startsWith(consolePath) && !noPlaces.test(url.pathname);
  if (isPlace && asked.startsWith('/')) return url.pathname + url.search + url.hash;
  throw cloudError(
    'REQUEST_INVALID',
    '"return" is not a path of the console.',
    `Give one that begins with ${consolePath}, or none.`,
  );
}

function notSignedIn(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'You are not signed in, or your browser does not keep cookies of this platform.',
    `Allow them, then open ${consolePath} again. A one-time link is good once: make another one.`,
  );
}
