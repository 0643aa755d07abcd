import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { factorNameSchema } from '#contracts/second-factor';
import { type CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { type Page, pageHeaders, renderPage } from '#node/http/html-page';
import { authorOf } from '../audit/admin-log.ts';
import type { FactorPlace } from '../factors/factor-service.ts';
import { type SignedIn, signInSubject } from '../factors/sign-in-steps.ts';
import { clientAddress } from '../server/client-address.ts';
import { copyScriptPath } from '../server/copy-button.ts';
import { parseInput } from '../server/parse-input.ts';
import { accountIdOf } from '../tokens/account-id.ts';
import {
  askingForms,
  type FactorForms,
  form,
  offeringForms,
  passkeyScript,
  passkeyScriptPath,
  recoveryCodesOf,
} from './factor-forms.ts';
import {
  finishSignIn,
  type Interaction,
  interactionOf,
  notUnderWay,
  type SignInServices,
} from './sign-in-interaction.ts';

/** The answer of an authenticator may hold a certificate. */
export const factorFormLimit = 32 * 1024;

const text = z.string().max(factorFormLimit).optional();
const formSchema = z.object({
  do: z.enum(['check', 'add', 'continue']),
  passkey: text,
  code: text,
  recoveryCode: text,
  name: factorNameSchema.optional(),
});

/** What one request to the page is about. */
interface Visit {
  readonly interaction: Interaction;
  readonly account: SignedIn;
  readonly place: FactorPlace;
}

/** The page of a sign-in that asks for the second factor, or sets one up where a role demands it and the person has none. */
export function registerFactorStep(server: FastifyInstance, services: SignInServices): void {
  const { factors, firstFactors } = services;
  server.get(passkeyScriptPath, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(passkeyScript),
  );
  server.get('/sign-in/:uid/factor', async (request, reply) => {
    const visit = await visitOf(request, reply, services);
    if (visit.account.hasSecondFactor) return finish(request, reply, visit, services);
    return showStep(reply, visit, services);
  });
  server.post('/sign-in/:uid/factor', { bodyLimit: factorFormLimit }, async (request, reply) => {
    const visit = await visitOf(request, reply, services);
    const { do: deed, name = 'Second factor', ...answer } = parseInput(formSchema, request.body ?? {});
    const { account, interaction, place } = visit;
    if (account.hasSecondFactor) return finish(request, reply, visit, services);
    const done = { ...account, hasSecondFactor: true };
    try {
      // Whoever has a factor gives it: the password alone adds no other one.
      if (deed !== 'add' || (await factors.hasAny(account.userId))) {
        await factors.check(place, answer);
        return await finish(request, reply, { ...visit, account: done }, services);
      }
      if (!(await factors.maySetUp(account))) return showStep(reply, visit, services);
      const codes = await factors.add(place, { ...answer, name });
      await firstFactors.note(interaction.uid, done);
      return show(reply, interaction, copyScriptPath, {
        title: 'Your second factor is set up',
        html: `${recoveryCodesOf(codes)}\n${form(formsOf(interaction), 'continue')}\n  <button>Continue</button>\n</form>`,
      });
    } catch (error) {
      if (!isCloudError(error) || error.code !== 'SIGN_IN_REFUSED') throw error;
      return showStep(reply.code(401), visit, services, error);
    }
  });
}

async function visitOf(request: FastifyRequest, reply: FastifyReply, services: SignInServices): Promise<Visit> {
  const interaction = await interactionOf(request, reply, services);
  const account = await services.firstFactors.find(interaction.uid);
  const known = account && (await services.findAccountInSignIn(accountIdOf(account)));
  if (!known) throw notUnderWay(undefined);
  const { user } = known;
  const author = authorOf(user, clientAddress(request));
  return { interaction, account, place: { user, subject: signInSubject(interaction.uid), author } };
}

function finish(
  request: FastifyRequest,
  reply: FastifyReply,
  { interaction, account }: Visit,
  services: SignInServices,
) {
  return services.store.withOrigin(request, () => finishSignIn(request, reply, interaction, account, services));
}

async function showStep(
  reply: FastifyReply,
  { interaction, account, place }: Visit,
  { factors }: SignInServices,
  error?: CloudError,
) {
  const problem = error && `${error.message} ${error.nextSteps.join(' ')}`;
  const forms = formsOf(interaction);
  const hasAny = await factors.hasAny(account.userId);
  if (!hasAny && !(await factors.maySetUp(account)))
    return show(reply.code(403), interaction, passkeyScriptPath, closed);
  const page: Page = hasAny
    ? { title: 'Your second factor', html: askingForms(await factors.ask(place), forms) }
    : {
        title: 'Set up a second factor',
        html: `<p>Your role demands a second factor. You give it from now on when you sign in.</p>
${offeringForms(await factors.offer(place), forms)}`,
      };
  return show(reply, interaction, passkeyScriptPath, { ...page, problem });
}

/** Somebody who knows no more than the password may be anybody. */
const closed: Page = {
  title: 'Ask an administrator',
  html: `<p>Your role demands a second factor. You have none, and the time to set one up with your password is over.</p>
<p>An administrator opens it again for a day: <code>vendor-cloud people reset-factors</code> with your e-mail address. Where there is no other administrator,
whoever runs the platform does: <code>vendor-cloud platform reset-factors</code>.</p>`,
};

function show(reply: FastifyReply, { returnOrigin }: Interaction, script: string, page: Omit<Page, 'script'>) {
  const formTargets = returnOrigin === undefined ? [] : [returnOrigin];
  return reply.headers(pageHeaders({ formTargets, hasScript: true })).send(renderPage({ ...page, script }));
}

function formsOf({ uid }: Interaction): FactorForms {
  return { action: `/sign-in/${uid}/factor`, hidden: {} };
}
