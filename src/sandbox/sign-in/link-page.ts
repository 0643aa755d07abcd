import type { FastifyInstance, FastifyReply } from 'fastify';
import { minPasswordLength } from '#contracts/people';
import { isCloudError } from '#kernel/errors/cloud-error';
import { clientAddress } from '../server/client-address.ts';
import { escaped, type Page, pageHeaders, renderPage } from './page.ts';
import { servePages } from './serve-pages.ts';

export type Form = Readonly<Record<string, string | string[] | undefined>>;

/** A page that a link with a secret opens. Whoever has the link may use it; the form ends with a new password. */
export interface LinkPage {
  readonly path: string;
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  /** HTML above the password. */
  fields(form: Form): string;
  /** Resolves to the page that comes next. */
  submit(form: Form, address: string | undefined): Promise<Pick<Page, 'title' | 'html'>>;
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
`;

export function registerLinkPage(server: FastifyInstance, page: LinkPage): void {
  server.register(async (own) => {
    servePages(own);
    own.get(scriptPath(page), async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
    own.get(page.path, async (_request, reply) => show(reply, formPage(page, {})));
    own.post(page.path, async (request, reply) => {
      const form = trimmed((request.body ?? {}) as Form);
      try {
        return show(reply, await page.submit(form, clientAddress(request)));
      } catch (error) {
        if (!isCloudError(error) || error.kind !== 'user') throw error;
        const problem = `${error.message} ${error.nextSteps.join(' ')}`;
        return show(reply.code(422), { ...formPage(page, form), problem });
      }
    });
  });
}

function show(reply: FastifyReply, page: Page) {
  return reply.headers(pageHeaders()).send(renderPage(page));
}

function scriptPath({ path }: LinkPage): string {
  return `${path}.js`;
}

/** A secret that somebody copied along with blanks, or with the rest of the link, is the same one. */
function trimmed(form: Form): Form {
  const secret = String(form['secret'] ?? '').trim();
  return { ...form, secret: secret.slice(secret.lastIndexOf('#') + 1) };
}

function formPage(page: LinkPage, form: Form): Page {
  const secret = escaped(String(form['secret'] ?? ''));
  const hint = `At least ${minPasswordLength} characters.`;
  return {
    title: page.title,
    script: scriptPath(page),
    html: `<form method="post" action="${page.path}">
  <div>
    <label for="secret">Code of the link <span class="hint">(what stands behind the #)</span></label>
    <input id="secret" name="secret" autocomplete="off" value="${secret}" required>
  </div>
${page.fields(form)}  <label for="password">Password <span class="hint" id="hint">${hint}</span></label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="${minPasswordLength}" aria-describedby="hint" required>
  <button>${escaped(page.action)}</button>
</form>`,
  };
}

/** A field that keeps what was typed. */
export function textField(name: string, label: string, autocomplete: string, form: Form, type = 'text'): string {
  const value = escaped(String(form[name] ?? ''));
  return `  <label for="${name}">${label}</label>
  <input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required>
`;
}
