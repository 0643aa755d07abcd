import type { FastifyInstance } from 'fastify';
import { type SetupResult, setupInputSchema } from '#contracts/setup';
import { escaped } from '#host/http/html-page';
import { parseInput } from '../server/parse-input.ts';
import { registerLinkPage } from '../sign-in/link-page.ts';
import type { SetupService } from './setup-service.ts';

/** The page that the setup link opens: it makes the first administrator, and shows the secrets of the environments once. */
export function registerSetupPage(server: FastifyInstance, setup: SetupService): void {
  registerLinkPage(server, {
    path: '/setup',
    title: 'Set up the platform',
    action: 'Set up',
    introduction: 'You become its first administrator.',
    fields: [
      { name: 'name', label: 'Your name', autocomplete: 'name' },
      { name: 'email', label: 'Your e-mail', autocomplete: 'username', type: 'email' },
      { name: 'project', label: 'Name of the first project', autocomplete: 'off' },
    ],
    submit: async (form, address) => {
      const made = await setup.setUp(parseInput(setupInputSchema, form), address);
      return { title: 'The platform is set up', html: secretsOf(made) };
    },
  });
}

function secretsOf({ project, environments }: SetupResult): string {
  const rows = environments.map(({ name, secret }) => `<dt>${name}</dt><dd><code>${secret}</code></dd>`);
  return `<p>The project <b>${escaped(project.name)}</b> is there. These are the secrets of its environments
(<code>SERVICE_ENV_SECRET</code>). Keep them now: they are not shown again.</p>
<dl>
${rows.join('\n')}
</dl>
<p>On the machines where you work, sign in with <code>vendor-cloud login</code>.</p>`;
}
