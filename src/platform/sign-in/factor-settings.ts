import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type Factor, factorNameSchema, factorPagePath } from '#contracts/second-factor';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { escaped, pageHeaders, renderPage } from '#node/http/html-page';
import { isFreshSignIn } from '../access/fresh-sign-in.ts';
import { authorOf } from '../audit/admin-log.ts';
import type { FactorPlace, FactorService } from '../factors/factor-service.ts';
import {
  type BrowserSession,
  browserSessionOf,
  pageSignInUrl,
  raiseBrowserSession,
  refuseForeignForm,
  type SignedInBrowsers,
} from '../provider/browser-session.ts';
import { settingsPage } from '../provider/clients.ts';
import { servePages } from '../provider/serve-pages.ts';
import { clientAddress } from '../server/client-address.ts';
import { copyScriptPath } from '../server/copy-button.ts';
import { parseInput } from '../server/parse-input.ts';
import { type FactorForms, form, offeringForms, passkeyScriptPath, recoveryCodesOf } from './factor-forms.ts';
import { factorFormLimit } from './factor-step.ts';

export interface FactorSettingsServices extends SignedInBrowsers {
  readonly factors: FactorService;
  readonly clock: Clock;
  readonly random: Random;
}

const text = z.string().max(factorFormLimit).optional();
const formSchema = z.object({
  do: z.enum(['add', 'rename', 'remove', 'codes']),
  id: z.coerce.number().int().positive().optional(),
  name: factorNameSchema.optional(),
  passkey: text,
  code: text,
  formToken: z.string().optional(),
});

/** What a visit of the page shows beside the factors. */
interface News {
  readonly problem?: string;
  readonly codes?: readonly string[];
}

/** The page on which people see and change what they sign in with. Nothing changes long after a sign-in. */
export function registerFactorSettings(server: FastifyInstance, services: FactorSettingsServices): void {
  const { openProvider, random } = services;
  const signInUrl = (isAnew: boolean) =>
    pageSignInUrl(openProvider, random, settingsPage, { state: factorPagePath, isAnew });
  server.register(async (own) => {
    servePages(own);
    own.get(factorPagePath, async (request, reply) => {
      const session = await browserSessionOf(request, reply, services);
      if (!session) return reply.redirect(await signInUrl(false), 303);
      return show(request, reply, session, services);
    });
    own.get(`${factorPagePath}/again`, async (_request, reply) => reply.redirect(await signInUrl(true), 303));
    own.post(factorPagePath, { bodyLimit: factorFormLimit }, async (request, reply) => {
      const session = await browserSessionOf(request, reply, services);
      if (!session) return reply.redirect(await signInUrl(false), 303);
      const input = parseInput(formSchema, request.body ?? {});
      refuseForeignForm(session, input);
      try {
        const codes = await carryOut(request, reply, session, input, services);
        if (codes.length > 0) return await show(request, reply, session, services, { codes });
        return reply.redirect(factorPagePath, 303);
      } catch (error) {
        if (!isCloudError(error) || error.kind !== 'user') throw error;
        const problem = `${error.message} ${error.nextSteps.join(' ')}`;
        return show(request, reply.code(422), session, services, { problem });
      }
    });
  });
}

/** Resolves to recovery codes that are new. */
async function carryOut(
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  { do: deed, id = 0, name, ...answer }: z.infer<typeof formSchema>,
  { factors, openProvider, clock }: FactorSettingsServices,
): Promise<readonly string[]> {
  const place = placeOf(request, session);
  const { user, author } = place;
  if (deed === 'rename') {
    await factors.rename(user, id, parseInput(factorNameSchema, name), author);
    return [];
  }
  if (!(await mayChange(session, factors, clock))) throw tooOld();
  if (deed === 'codes') return factors.makeRecoveryCodes(user, author);
  if (deed === 'remove') {
    await factors.remove(user, id, author);
    return [];
  }
  const codes = await factors.add(place, { ...answer, name: name ?? 'Second factor' });
  await raiseBrowserSession(request, reply, openProvider, { ...session.account, hasSecondFactor: true });
  return codes;
}

/** Whoever signed in just now, with a second factor where they have one, and with no token. */
async function mayChange({ account, signedInAt }: BrowserSession, factors: FactorService, clock: Clock) {
  if (account.limit || !isFreshSignIn(signedInAt, clock.now())) return false;
  return account.hasSecondFactor === true || !(await factors.hasAny(account.userId));
}

function placeOf(request: FastifyRequest, { id, account: { user } }: BrowserSession): FactorPlace {
  return { user, subject: `settings ${id}`, author: authorOf(user, clientAddress(request)) };
}

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  { factors, clock }: FactorSettingsServices,
  { problem, codes }: News = {},
) {
  const { factors: own, recoveryCodes, isNeeded } = await factors.list(session.userId);
  const forms: FactorForms = { action: factorPagePath, hidden: { formToken: session.formToken } };
  const isOpen = await mayChange(session, factors, clock);
  const offered = isOpen && codes === undefined ? await factors.offer(placeOf(request, session)) : undefined;
  const page = renderPage({
    title: 'How you sign in',
    problem,
    script: codes === undefined ? passkeyScriptPath : copyScriptPath,
    html: [
      ...(codes === undefined ? [] : [recoveryCodesOf(codes), `<p><a href="${factorPagePath}">Continue</a></p>`]),
      `<p>${summaryOf(own, isNeeded)}</p>`,
      ...own.map((factor) => factorSection(factor, forms, isOpen)),
      ...(own.length === 0 ? [] : [codesSection(recoveryCodes, forms, isOpen)]),
      offered
        ? `<section aria-labelledby="more"><h2 id="more">Add a second factor</h2>\n${offeringForms(offered, forms)}\n</section>`
        : `<p><a href="${factorPagePath}/again">Sign in again to add or remove one</a></p>`,
      '<p><a href="/oidc/session/end">Sign out of the platform</a></p>',
    ].join('\n'),
  });
  return reply.headers(pageHeaders({ hasScript: true })).send(page);
}

function summaryOf(own: readonly Factor[], isNeeded: boolean): string {
  if (own.length === 0) return 'You sign in without a second factor. With one, a password alone lets nobody in.';
  return `You give one of these when you sign in.${isNeeded ? ' Your role demands it: the last one stays.' : ''}`;
}

const kinds = { passkey: 'Passkey', totp: 'Authenticator app' } as const;

function factorSection(factor: Factor, forms: FactorForms, isOpen: boolean): string {
  const { id, kind, name, createdAt, lastUsedAt, isUsable } = factor;
  const own = { ...forms, hidden: { ...forms.hidden, id: String(id) } };
  const label = escaped(name);
  const used = lastUsedAt === null ? 'never' : lastUsedAt.slice(0, 10);
  return `<section aria-labelledby="factor-${id}">
<h2 id="factor-${id}">${label}</h2>
<p>${kinds[kind]}, added ${createdAt.slice(0, 10)}, last used ${used}.${isUsable ? '' : ' It is for another address of the platform.'}</p>
${form(own, 'rename')}
  <label for="name-${id}">Name</label>
  <input id="name-${id}" name="name" maxlength="100" value="${label}" autocomplete="off" required>
  <button class="second" aria-label="Rename ${label}">Rename</button>
</form>
${isOpen ? `${form(own, 'remove')}\n  <button class="second" aria-label="Remove ${label}">Remove</button>\n</form>` : ''}
</section>`;
}

function codesSection(left: number, forms: FactorForms, isOpen: boolean): string {
  const renew = `${form(forms, 'codes')}\n  <button class="second">Make new recovery codes</button>\n</form>`;
  return `<section aria-labelledby="codes">
<h2 id="codes">Recovery codes</h2>
<p>${left} ${left === 1 ? 'is' : 'are'} left. New ones take their place.</p>
${isOpen ? renew : ''}
</section>`;
}

function tooOld(): CloudError {
  return cloudError(
    'SIGN_IN_TOO_OLD',
    'You signed in more than ten minutes ago, with a token, or without your second factor.',
    `Sign in again: ${factorPagePath}/again`,
  );
}
