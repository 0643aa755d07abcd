import type { FastifyInstance } from 'fastify';
import { makeSignInLinkSchema, type SignInLink, signInLinkPath } from '#contracts/sign-in';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Random } from '#kernel/ports/random';
import { fullNameOf } from '#kernel/text/full-name';
import { escaped, pageHeaders, renderPage } from '#node/http/html-page';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { tokenPagePath } from '../api-tokens/token-page.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import { noSuchMember, type PeopleRepository } from '../people/people-repository.ts';
import { browserSessionOf, type SignedInBrowsers, settingsSignInUrl } from '../provider/browser-session.ts';
import { linkCallbackPath } from '../provider/clients.ts';
import { servePages } from '../provider/serve-pages.ts';
import { parseInput } from '../server/parse-input.ts';
import { requireSameMachine } from '../server/same-machine.ts';
import type { SignInLinks } from './sign-in-links.ts';
import { signInScript, signInScriptPath } from './sign-in-page.ts';

export interface SignInLinkServices extends SignedInBrowsers {
  readonly links: SignInLinks;
  readonly people: PeopleRepository;
  readonly random: Random;
}

/**
 * One-time links of the platform of one developer. A link begins an ordinary sign-in, whose page takes the secret that the browser
 * kept behind the `#`. Everything is for the machine of the platform only.
 */
export function registerSignInLinks(server: FastifyInstance, guards: Guards, services: SignInLinkServices): void {
  const { links, people, openProvider, random } = services;
  server.post('/api/sign-in-links', { onRequest: guards.user.check }, async (request, reply): Promise<SignInLink> => {
    requireSameMachine(request);
    const by = guards.user.of(request);
    if (by.isPrinted) throw noSignIn();
    const { person = by.user.id } = parseInput(makeSignInLinkSchema, request.body ?? {});
    if (person !== by.user.id) {
      authorise(by, 'manage people');
      const member = await people.find(by.environment.projectId, person);
      if (!member || member.deactivatedAt !== null) throw noSuchMember(person);
    }
    reply.code(201);
    return links.make(person);
  });
  server.register(async (own) => {
    servePages(own);
    own.get(signInScriptPath, async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(signInScript),
    );
    own.get(signInLinkPath, async (request, reply) => {
      requireSameMachine(request);
      const place = { callbackPath: linkCallbackPath, isAnew: true };
      return reply.redirect(await settingsSignInUrl(openProvider, random, place), 303);
    });
    own.get(linkCallbackPath, async (request, reply) => {
      const session = await browserSessionOf(request, reply, services);
      if (!session) throw noCookies();
      return reply.headers(pageHeaders()).send(donePage(session.account.user));
    });
  });
}

function donePage(user: UserRecord): string {
  return renderPage({
    title: 'You are signed in',
    html: `<p>You are <b>${escaped(fullNameOf(user))}</b> (${escaped(user.email)}) on this platform.</p>
<p>Go back to the page or the program that asked you to sign in: it goes on. You can close this page.</p>
<p><a href="${tokenPagePath}">API tokens of the project</a></p>`,
  });
}

/** The session of the browser would last longer than the token. */
function noSignIn(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'A token that was printed signs no browser in.',
    'Use the token of the session: vendor-cloud sign-in-link',
  );
}

function noCookies(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'You are not signed in, or your browser does not keep cookies of this platform.',
    'Allow them, and make another link.',
  );
}
