import { boolean, integer, option, string } from '@oclif/core/flags';
import { cloudError } from '#kernel/errors/cloud-error';

/** The flags of `dev` for another platform in place of the local one. */
export const otherPlatformFlags = {
  sandbox: boolean({
    summary: 'Start the local platform; --no-sandbox uses the platform that the project names.',
    env: 'SERVICE_SANDBOX',
    default: true,
    allowNo: true,
  }),
  remote: string({
    summary: 'Use the platform at this address in place of the local one, with its people and their rights.',
    env: 'SERVICE_REMOTE',
    helpValue: '<url>',
  }),
};

/** The address of the other platform; `null` for the one that the project names, `undefined` where the local one is wanted. */
export function otherPlatform(flags: {
  readonly remote?: string | undefined;
  readonly sandbox: boolean;
}): string | null | undefined {
  return flags.remote ?? (flags.sandbox ? undefined : null);
}

/** The flags of `dev` for a debugger. */
export const debuggerFlags = {
  inspect: boolean({
    summary: 'Let a debugger in; it stays connected over reloads.',
    env: 'SERVICE_INSPECT',
  }),
  'inspect-port': integer({
    summary: 'Port of the debugger; 0 takes any free one.',
    env: 'SERVICE_INSPECT_PORT',
    default: 9229,
    min: 0,
    max: 65_535,
    helpValue: '<port>',
  }),
};

/** The flags for the log of an agent. */
export const agentLogFlags = {
  level: option({
    summary: "Show the agent's log from this level on; info has a line for each request.",
    options: ['debug', 'info', 'warn', 'error'] as const,
    env: 'SERVICE_LEVEL',
  })(),
  grep: string({
    summary: 'Only lines of the log that contain this text, without regard to case.',
    env: 'SERVICE_GREP',
    helpValue: '<text>',
  }),
};

/**
 * Let debuggers into this process and its workers, on loopback. Node.js writes the address to stderr.
 *
 * @throws `MACHINE_PORT_IN_USE`
 */
export async function openInspector(port: number): Promise<void> {
  const inspector = await import('node:inspector');
  inspector.open(port, '127.0.0.1');
  // A port that is taken is not an error of the call.
  if (inspector.url() !== undefined) return;
  throw cloudError(
    'MACHINE_PORT_IN_USE',
    `The debugger cannot have port ${port}.`,
    'Name another one: --inspect --inspect-port 0',
    { safeDetails: { port } },
  );
}
