import type { FastifyInstance } from 'fastify';
import { makeSignInLinkSchema, type SignInLink, signInLinkPath } from '#contracts/sign-in';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Random } from '#kernel/ports/random';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { noSuchMember, type PeopleRepository } from '../people/people-repository.ts';
import { pageSignInUrl } from '../provider/browser-session.ts';
import { consolePage } from '../provider/clients.ts';
import type { OpenProvider } from '../provider/provider-holder.ts';
import { servePages } from '../provider/serve-pages.ts';
import { parseInput } from '../server/parse-input.ts';
import { requireSameMachine } from '../server/same-machine.ts';
import type { SignInLinks } from './sign-in-links.ts';
import { signInScript, signInScriptPath } from './sign-in-page.ts';

export interface SignInLinkServices {
  readonly openProvider: OpenProvider;
  readonly links: SignInLinks;
  readonly people: PeopleRepository;
  readonly random: Random;
}

/**
 * One-time links of the platform of one developer. A link begins an ordinary sign-in for the console, whose page takes the secret that
 * the browser kept behind the `#`. Everything is for the machine of the platform only.
 */
export function registerSignInLinks(server: FastifyInstance, guards: Guards, services: SignInLinkServices): void {
  const { links, people, openProvider, random } = services;
  server.post('/api/sign-in-links', { onRequest: guards.user.check }, async (request, reply): Promise<SignInLink> => {
    requireSameMachine(request);
    const by = guards.user.of(request);
    if (by.credential.kind !== 'token') throw noSignIn();
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
      return reply.redirect(await pageSignInUrl(openProvider, random, consolePage, { isAnew: true }), 303);
    });
  });
}

/** The session of the browser would last longer than what the link was made with. */
function noSignIn(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'A token that was printed signs no browser in, and neither does the sign-in of another browser.',
    'Use the token of the session: vendor-cloud sign-in-link',
  );
}
