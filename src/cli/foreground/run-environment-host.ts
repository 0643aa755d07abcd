import { availableParallelism, hostname } from 'node:os';
import path from 'node:path';
import { untilAborted } from '#flows/lifetime';
import { serve } from '#flows/serve/serve';
import type { ServeEvent } from '#flows/serve/serve-event';
import { variables } from '#kernel/environment/variables';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';
import { cloudError } from '#kernel/errors/cloud-error';
import { parseListenAddress } from '../flags/platform-flags.ts';
import type { CliContext } from '../invocation/cli-context.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { errorJson } from '../rendering/render-error.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Milliseconds that requests in flight are given. */
const drainMs = 10_000;
/** Extra time to leave the platform and to end the workers. */
const closingMs = 5_000;

export interface ServeFlags {
  readonly listen: string;
  readonly mcpPort: number;
  readonly workers: number | undefined;
  readonly name: string | undefined;
  readonly stateFolder: string;
}

/** Host an environment until the process gets a signal to end, with the events on the screen or as JSON lines. */
export async function runEnvironmentHost(
  invocation: Invocation,
  context: CliContext,
  flags: ServeFlags,
): Promise<void> {
  const { terminal } = invocation;
  const { host: bindAddress, port } = parseListenAddress(flags.listen);
  invocation.serve(drainMs + closingMs, exitCodes.failed);
  const quit = new AbortController();
  void untilAborted(invocation.interrupted).then(() => quit.abort());
  try {
    await serve(context, {
      serverUrl: context.variables['SERVICE_SERVER_URL'] ?? variables.SERVICE_SERVER_URL.default,
      envSecret: envSecretOf(context),
      name: flags.name ?? hostname(),
      bindAddress,
      ports: {
        agent: { port, isExact: true, flag: '--listen' },
        mcp: { port: flags.mcpPort, isExact: flags.mcpPort !== 0, flag: '--mcp-port' },
      },
      workers: flags.workers ?? availableParallelism(),
      stateFolder: path.resolve(context.workingFolder, flags.stateFolder),
      drainMs,
      signal: quit.signal,
      tell: (event) => tellOfHost(event, terminal, context),
    });
  } finally {
    await context.http.close();
  }
}

export function envSecretOf({ variables: given }: CliContext): string {
  const secret = given['SERVICE_ENV_SECRET'];
  if (secret) return secret;
  throw cloudError(
    'CREDENTIALS_MISSING',
    'It is not known which environment is to be served: there is no environment secret.',
    'Set SERVICE_ENV_SECRET to the secret of the environment.',
  );
}

/** Show an event on the screen, or as a line of JSON. */
export function tellOfHost(event: ServeEvent, terminal: Terminal, context: CliContext): void {
  if (terminal.isJson) tellJson(event, terminal);
  else show(event, terminal, context);
}

function tellJson(event: ServeEvent, terminal: Terminal): void {
  if (event.event === 'output') process.stderr.write(event.text);
  else if ('error' in event) terminal.json({ ...event, ...errorJson(event.error) });
  else terminal.json(event);
}

function show(event: ServeEvent, { style, note }: Terminal, { clock }: CliContext): void {
  if (event.event === 'output') process.stderr.write(event.text);
  else note(`${style.dim(new Date(clock.now()).toISOString().slice(11, 19))} ${lineOf(event, style)}`);
}

function lineOf(event: Exclude<ServeEvent, { readonly event: 'output' }>, style: Terminal['style']): string {
  switch (event.event) {
    case 'waiting':
      return 'Nothing is deployed in this environment yet. Waiting for the first "vendor-cloud push".';
    case 'checking':
      return `Checking deployment ${event.deployment} (version ${event.version})`;
    case 'serving': {
      const what = `deployment ${event.deployment} (version ${event.version})`;
      const where = `${event.url}, ${event.workers} ${event.workers === 1 ? 'worker' : 'workers'}`;
      return `${style.green('✔')} Serving ${what} on ${where} · ${Math.round(event.ms)} ms`;
    }
    case 'built-with-other-version':
      return `${style.yellow('!')} Deployment ${event.deployment} was built with vendor-cloud ${event.builtWith}, and this host is ${event.host}. Install the same version on both.`;
    case 'refused':
      return `${style.red('✘')} Deployment ${event.deployment} was refused: ${event.error.message}`;
    case 'platform-away':
      return `${style.yellow('!')} The platform is away: ${event.error.message} What serves goes on.`;
    case 'platform-back':
      return 'The platform is back.';
    case 'worker-lost':
      return `${style.red('✘')} A worker was lost and is replaced: ${event.error.message}`;
    case 'request-failed':
      return `${style.red('✘')} ${event.error.message}`;
    case 'stopped':
      return 'Stopped.';
  }
}
