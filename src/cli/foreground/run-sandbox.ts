import { type SandboxEvent, serveSandbox } from '#flows/local-platform/serve-sandbox';
import type { WantedPort } from '#kernel/ports/tcp';
import type { CliContext } from '../invocation/cli-context.ts';
import { developerOf } from '../invocation/developer.ts';
import type { Invocation } from '../invocation/invocation.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** For closing the store, beside the second that requests are given. */
const endingMs = 5_000;

/** Serve the local platform until the process gets a signal to end, with the events on the screen or as JSON lines. */
export async function runSandbox(
  invocation: Invocation,
  context: CliContext,
  place: { readonly folder: string; readonly port: WantedPort },
): Promise<void> {
  const { terminal } = invocation;
  invocation.serve(endingMs);
  try {
    await serveSandbox(context, {
      ...place,
      developer: await developerOf(context),
      signal: invocation.interrupted,
      tell: (event) => (terminal.isJson ? terminal.json(event) : show(event, terminal)),
    });
  } finally {
    await context.http.close();
  }
}

function show(event: SandboxEvent, { style, note }: Terminal): void {
  if (event.event === 'stopped') {
    note('Stopped.');
    return;
  }
  if (event.event === 'warning') {
    note(`${style.yellow('!')} ${event.message}`);
    return;
  }
  note(`${style.green('✔')} The local platform serves ${event.sandbox.url}`);
  note('  Commands in this project find it. An agent connects with:');
  note(`    SERVICE_SERVER_URL=${event.sandbox.url}`);
  note(`    SERVICE_ENV_SECRET=${event.envSecret}`);
  note('  A browser signs in with a link: vendor-cloud sign-in-link');
  note(style.dim('  Stop it with Ctrl-C.'));
}
