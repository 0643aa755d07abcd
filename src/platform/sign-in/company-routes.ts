import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isCloudError } from '#kernel/errors/cloud-error';
import { companyCallbackPath } from '../provider/clients.ts';
import { clientAddress } from '../server/client-address.ts';
import { finishSignIn, interactionOf, notUnderWay, type SignInServices, showPage, whyStranger } from './interaction.ts';

/** Signing in with an account of the company: there and back again. */
export function registerCompanyRoutes(server: FastifyInstance, services: SignInServices): void {
  const { company } = services;
  if (!company) return;
  const { signOn, people, underWay, logger } = company;
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
  // The cookie that tells the browser stands at the page of its sign-in alone.
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
      const stranger = await whyStranger(services.identity, interaction, userId);
      if (stranger !== undefined) return refuse(stranger);
      return await services.store.withAddress(request.ip, () =>
        finishSignIn(request, reply, interaction, userId, services),
      );
    } catch (error) {
      if (isCloudError(error) && error.code === 'SIGN_IN_REFUSED') return refuse(error.message);
      throw error;
    }
  });
}

const noAnswer = 'The sign-in of your company does not answer as it should. Try again, or tell an administrator.';

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '');
}
