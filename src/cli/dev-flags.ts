import { boolean, integer, string } from '@oclif/core/flags';

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
