import type { FastifyInstance } from 'fastify';
import { type SetupResult, setupInputSchema } from '#contracts/setup';
import { escaped } from '#node/http/html-page';
import { clientAddress } from '../server/client-address.ts';
import { copyable, copyScriptPath, copyStatus } from '../server/copy-button.ts';
import { parseInput } from '../server/parse-input.ts';
import { registerLinkPage, signInLink } from '../sign-in/link-page.ts';
import type { SetupService } from './setup-service.ts';

/**
 * The page that the setup link opens: it makes the first administrator, shows the secrets of the environments once, and says what comes
 * next.
 *
 * @param origin what addresses of the platform begin with, once it listens.
 */
function registerSetupPage(server: FastifyInstance, setup: SetupService, origin: () => string): void {
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
      return {
        title: 'The platform is set up',
        script: copyScriptPath,
        html: [secretsOf(made), copyStatus, nextSteps(origin()), signInLink].join('\n'),
      };
    },
  });
}

function secretsOf({ project, environments }: SetupResult): string {
  const rows = environments.map(({ name, secret }) => {
    const shown = copyable({ id: `secret-${name}`, text: secret, name: `the secret of ${name}` });
    return `<dt>${name}</dt><dd>${shown}</dd>`;
  });
  return `<p>The project <b>${escaped(project.name)}</b> is there. These are the secrets of its environments
(<code>SERVICE_ENV_SECRET</code>). Keep them now: they are not shown again.</p>
<dl>
${rows.join('\n')}
</dl>`;
}

const steps = [
  ['In the project, on the machine where you work, say that it belongs here:', 'vendor-cloud link --to <origin>'],
  ['Sign in there:', 'vendor-cloud login'],
  [
    'Invite the others, and send each their link:',
    'vendor-cloud people invite bob@example.com --role Administrators --level admin',
  ],
  [
    'Where an environment runs, set <code>SERVICE_SERVER_URL</code> and <code>SERVICE_ENV_SECRET</code>, and start a host:',
    'vendor-cloud serve',
  ],
  ['Bring the code into the environment:', 'vendor-cloud push --env staging'],
] as const;

function nextSteps(origin: string): string {
  const items = steps.map(([what, command], index) => {
    const text = command.replace('<origin>', origin);
    return `<li>${what}<br>\n${copyable({ id: `step-${index + 1}`, text, name: `the command of step ${index + 1}` })}</li>`;
  });
  return `<h2>What comes next</h2>
<ol>
${items.join('\n')}
</ol>`;
}

/** How the first administrator comes in: by the page that the setup link opens, or by a script. */
export function registerSetupRoutes(server: FastifyInstance, setup: SetupService, origin: () => string): void {
  registerSetupPage(server, setup, origin);
  server.post('/api/setup', { bodyLimit: 16 * 1024 }, async (request, reply): Promise<SetupResult> => {
    const result = await setup.setUp(parseInput(setupInputSchema, request.body ?? {}), clientAddress(request));
    reply.code(201);
    return result;
  });
}
