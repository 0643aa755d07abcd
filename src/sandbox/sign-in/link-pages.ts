import type { FastifyInstance, FastifyReply } from 'fastify';
import { acceptInvitationSchema, minPasswordLength, usePasswordResetSchema } from '#contracts/people';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { InvitationService } from '../invitations/invitation-service.ts';
import type { PasswordService } from '../passwords/password-service.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import { escaped, pageHeaders, renderPage } from './page.ts';
import { servePages } from './serve-pages.ts';

type Form = Readonly<Record<string, string | string[] | undefined>>;

const scriptPath = '/sign-in.js';
/** What is behind the `#` of a link never reaches a server, nor a log. A browser without scripts asks for it. */
const script = `const field = document.getElementById('secret');
if (field && location.hash.length > 1) {
  field.value = location.hash.slice(1);
  field.parentElement.hidden = true;
  history.replaceState(null, '', location.pathname);
}
`;

interface LinkPage {
  readonly path: string;
  readonly title: string;
  readonly action: string;
  /** HTML of the fields above the password. */
  fields(form: Form): string;
  submit(form: Form, address: string | undefined): Promise<void>;
  readonly done: { readonly title: string; readonly text: string };
}

/** The pages that the links of invitations and of new passwords open. Whoever has the link may use them. */
export function registerLinkPages(
  server: FastifyInstance,
  invitations: InvitationService,
  passwords: PasswordService,
): void {
  const join: LinkPage = {
    path: '/join',
    title: 'Join the project',
    action: 'Join',
    fields: (form) =>
      textField('firstName', 'First name', 'given-name', form) +
      textField('lastName', 'Last name', 'family-name', form),
    submit: (form, address) => invitations.accept(parseInput(acceptInvitationSchema, form), address),
    done: { title: 'You have joined', text: 'Sign in with your e-mail and your password from now on.' },
  };
  const reset: LinkPage = {
    path: '/reset',
    title: 'Set a new password',
    action: 'Set the password',
    fields: () => '',
    submit: (form) => passwords.useReset(parseInput(usePasswordResetSchema, form)),
    done: { title: 'Your password is set', text: 'You are signed out everywhere. Sign in with the new password.' },
  };
  server.register(async (own) => {
    servePages(own);
    own.get(scriptPath, async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
    for (const page of [join, reset]) registerPage(own, page);
  });
}

function registerPage(server: FastifyInstance, page: LinkPage): void {
  server.get(page.path, async (_request, reply) => show(reply, formPage(page, {})));
  server.post(page.path, async (request, reply) => {
    const form = trimmed((request.body ?? {}) as Form);
    try {
      await page.submit(form, clientAddress(request));
    } catch (error) {
      if (!isCloudError(error) || error.kind !== 'user') throw error;
      const problem = `${error.message} ${error.nextSteps.join(' ')}`;
      return show(reply.code(422), formPage(page, form, problem));
    }
    return show(reply, renderPage({ title: page.done.title, html: `<p>${escaped(page.done.text)}</p>` }));
  });
}

function show(reply: FastifyReply, html: string) {
  return reply.headers(pageHeaders()).send(html);
}

/** A secret that somebody copied along with blanks, or with the rest of the link, is the same one. */
function trimmed(form: Form): Form {
  const secret = String(form['secret'] ?? '').trim();
  return { ...form, secret: secret.slice(secret.lastIndexOf('#') + 1) };
}

function formPage({ title, action, fields }: LinkPage, form: Form, problem?: string): string {
  const secret = escaped(String(form['secret'] ?? ''));
  const hint = `At least ${minPasswordLength} characters.`;
  return renderPage({
    title,
    problem,
    script: scriptPath,
    html: `<form method="post">
  <div>
    <label for="secret">Code of the link <span class="hint">(what stands behind the #)</span></label>
    <input id="secret" name="secret" autocomplete="off" value="${secret}" required>
  </div>
${fields(form)}  <label for="password">Password <span class="hint" id="hint">${hint}</span></label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="${minPasswordLength}" aria-describedby="hint" required>
  <button>${escaped(action)}</button>
</form>`,
  });
}

function textField(name: string, label: string, autocomplete: string, form: Form): string {
  const value = escaped(String(form[name] ?? ''));
  return `  <label for="${name}">${label}</label>
  <input id="${name}" name="${name}" autocomplete="${autocomplete}" value="${value}" required>
`;
}
