import type { FastifyInstance, FastifyReply } from 'fastify';
import * as z from 'zod';
import { consolePath, consoleSignInPath } from '#contracts/console';
import { acceptInvitationSchema, minPasswordLength, usePasswordResetSchema } from '#contracts/people';
import { type CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { escaped, type Page, pageHeaders, renderPage } from '#node/http/html-page';
import type { InvitationService } from '../invitations/invitation-service.ts';
import type { PasswordService } from '../passwords/password-service.ts';
import { servePages } from '../provider/serve-pages.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import type { JoinedBrowsers } from './joined-browsers.ts';

type Form = Readonly<Record<string, string | string[] | undefined>>;

/** A text that a page asks for. */
interface LinkField {
  readonly name: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly type?: 'email';
}

/** A page that a link with a secret opens. Whoever has the link may use it; the form ends with a new password. */
export interface LinkPage {
  readonly path: string;
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  /** What the page says before it asks. */
  readonly introduction?: string;
  /** What the page says, as soon as its script has the secret, to whoever holds it. Rejects for a link that does not work. */
  introduce?(secret: string): Promise<string>;
  /** They stand above the password. */
  readonly fields: readonly LinkField[];
  /** Resolves to the page that comes next. */
  submit(
    form: Form,
    address: string | undefined,
  ): Promise<Pick<Page, 'title' | 'html' | 'script'> & { readonly cookie?: string | undefined }>;
}

/**
 * What is behind the `#` of a link never reaches a server, nor a log. A browser without scripts asks for it, and one with
 * scripts shows it only where it is not whole.
 */
const script = `const field = document.getElementById('secret');
if (location.hash.length > 1) {
  field.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}
field.parentElement.hidden = /^[0-9a-f]{64}$/.test(field.value);
const introduction = document.getElementById('introduction');
if (introduction && field.parentElement.hidden) {
  const body = new URLSearchParams({ secret: field.value });
  fetch(location.pathname + '/introduction', { method: 'POST', body })
    .then(async (answer) => {
      introduction.textContent = await answer.text();
      // Nobody fills in a form that leads to nothing.
      field.form.hidden = answer.status === 422;
    });
}
`;

export function registerLinkPage(server: FastifyInstance, page: LinkPage): void {
  server.register(async (own) => {
    servePages(own);
    own.get(scriptPath(page), async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
    own.get(page.path, async (_request, reply) => show(reply, page, formPage(page, {})));
    if (page.introduce) {
      const introduce = page.introduce.bind(page);
      own.post(`${page.path}/introduction`, async (request, reply) => {
        const { secret } = trimmed((request.body ?? {}) as Form);
        try {
          return reply.type('text/plain; charset=utf-8').send(await introduce(String(secret)));
        } catch (error) {
          if (!isCloudError(error) || error.kind !== 'user') throw error;
          return reply.code(422).type('text/plain; charset=utf-8').send(inWords(error));
        }
      });
    }
    own.post(page.path, async (request, reply) => {
      const form = trimmed((request.body ?? {}) as Form);
      try {
        const { cookie, ...next } = await page.submit(form, clientAddress(request));
        return show(cookie === undefined ? reply : reply.header('set-cookie', cookie), page, next);
      } catch (error) {
        if (!isCloudError(error) || error.kind !== 'user') throw error;
        return show(reply.code(422), page, pageWithProblem(page, form, error));
      }
    });
  });
}

function inWords({ message, nextSteps }: CloudError): string {
  return [message, ...nextSteps].join(' ');
}

function show(reply: FastifyReply, { introduce }: LinkPage, page: Page) {
  const rules = { hasScript: true, scriptAsks: introduce !== undefined };
  return reply.headers(pageHeaders(rules)).send(renderPage(page));
}

function scriptPath({ path }: LinkPage): string {
  return `${path}.js`;
}

/** A secret that somebody copied along with blanks, or with the rest of the link, is the same one. */
function trimmed(form: Form): Form {
  const secret = String(form['secret'] ?? '').trim();
  return { ...form, secret: secret.slice(secret.lastIndexOf('#') + 1) };
}

const secretField: LinkField = { name: 'secret', label: 'Code of the link', autocomplete: 'off' };
const passwordField: LinkField = { name: 'password', label: 'Password', autocomplete: 'new-password' };

/** The form again, with what is wrong. A field that is not valid is named by its label and marked. */
function pageWithProblem(page: LinkPage, form: Form, error: CloudError): Page {
  const issue = error.cause instanceof z.ZodError ? error.cause.issues[0] : undefined;
  const invalid = [secretField, ...page.fields, passwordField].find(({ name }) => name === issue?.path[0]);
  const problem = invalid ? `${invalid.label}: ${issue?.message}.` : inWords(error);
  return { ...formPage(page, form, invalid), problem };
}

function formPage(page: LinkPage, form: Form, invalid?: LinkField): Page {
  const hint = `At least ${minPasswordLength} characters.`;
  const mark = (field: LinkField) => (field === invalid ? ' aria-invalid="true"' : '');
  const typedIn = ({ name }: LinkField) => escaped(String(form[name] ?? ''));
  const fields = page.fields.map(
    (field) => `  <label for="${field.name}">${field.label}</label>
  <input id="${field.name}" name="${field.name}" type="${field.type ?? 'text'}" autocomplete="${field.autocomplete}" value="${typedIn(field)}"${mark(field)} required>
`,
  );
  return {
    title: page.title,
    script: scriptPath(page),
    html: `${page.introduce ? '<p id="introduction" role="status"></p>\n' : ''}<form method="post" action="${page.path}">
${page.introduction === undefined ? '' : `  <p>${page.introduction}</p>\n`}  <div>
    <label for="secret">${secretField.label} <span class="hint">(what stands behind the #)</span></label>
    <input id="secret" name="secret" autocomplete="off" value="${typedIn(secretField)}"${mark(secretField)} required>
  </div>
${fields.join('')}  <label for="password">${passwordField.label} <span class="hint" id="hint">${hint}</span></label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="${minPasswordLength}" aria-describedby="hint"${mark(passwordField)} required>
  <button>${escaped(page.action)}</button>
</form>`,
  };
}

/** The way on for people who only have the link. */
export const signInLink = `<p><a href="${consolePath}">Sign in</a></p>`;

/**
 * The pages that the links of invitations and of new passwords open.
 *
 * @param joined Absent where only accounts of the company sign in.
 */
export function registerLinkPages(
  server: FastifyInstance,
  invitations: InvitationService,
  passwords: PasswordService,
  joined: JoinedBrowsers | undefined,
): void {
  registerLinkPage(server, {
    path: '/join',
    title: 'Join the project',
    action: 'Join',
    introduce: async (secret) => {
      const { project, inviter, email } = await invitations.introduce(secret);
      return `${inviter} invites ${email} to the project "${project}".`;
    },
    fields: [
      { name: 'firstName', label: 'First name', autocomplete: 'given-name' },
      { name: 'lastName', label: 'Last name', autocomplete: 'family-name' },
    ],
    submit: async (form, address) => {
      const { email, userId } = await invitations.accept(parseInput(acceptInvitationSchema, form), address);
      const signIn = `${consoleSignInPath}?${new URLSearchParams({ email })}`;
      return {
        title: 'You have joined',
        html: joined
          ? `<p>Your e-mail and your password sign you in from now on. This time you need not give them again.</p>
<p><a href="${escaped(signIn)}">Open the console</a></p>`
          : `<p>Sign in with your account of the company.</p>
<p><a href="${escaped(signIn)}">Sign in</a></p>`,
        cookie: joined?.note(userId),
      };
    },
  });
  registerLinkPage(server, {
    path: '/reset',
    title: 'Set a new password',
    action: 'Set the password',
    fields: [],
    submit: async (form, address) => {
      await passwords.useReset(parseInput(usePasswordResetSchema, form), address);
      return {
        title: 'Your password is set',
        html: `<p>You are signed out everywhere. Sign in with the new password.</p>${signInLink}`,
      };
    },
  });
}
