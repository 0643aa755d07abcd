import { integer, string } from '@oclif/core/flags';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { WantedPort } from '#kernel/ports/tcp';

/** The flag for the project of a command. */
export const projectFlags = {
  project: string({
    summary: 'Folder of the project, instead of the current one.',
    env: 'SERVICE_PROJECT',
    helpValue: '<folder>',
  }),
};

/** The flag for the person that a command acts for. */
export const personFlags = {
  as: string({
    summary: 'Serve this person under the rights of permissions.json, as production would.',
    env: 'SERVICE_AS',
    helpValue: '<e-mail or role:name>',
  }),
};

/** The flag for the environment of a command. */
export const environmentFlags = {
  env: string({
    summary: 'Name of the environment, instead of the one of the token.',
    env: 'SERVICE_ENV',
    helpValue: '<name>',
  }),
};

/** Which platform a command is about. */
export const serverFlags = {
  'server-url': string({
    summary: 'Address of the platform, instead of the one of the project.',
    env: 'SERVICE_SERVER_URL',
    helpValue: '<url>',
  }),
};

/** The project and the environment that the flags name. */
export function targetOf(
  flags: { readonly project?: string | undefined; readonly env?: string | undefined },
  { workingFolder }: { readonly workingFolder: string },
) {
  return { folder: flags.project ?? workingFolder, environment: flags.env };
}

const port = (summary: string, env: string) => integer({ summary, env, min: 0, max: 65_535, helpValue: '<port>' });

/**
 * The flags for the ports of a session. A requested port is used or refused. A busy default port is replaced by a free one.
 */
export const portFlags = {
  'agent-port': port('Port of the agent (default 3351; 0 takes any free one).', 'SERVICE_AGENT_PORT'),
  'sandbox-port': port('Port of the local platform (default 3310).', 'SERVICE_SANDBOX_PORT'),
  'mcp-port': port('Port of the MCP server (default 3931).', 'MCP_SERVER_PORT'),
};

type PortFlag = keyof typeof portFlags;

/**
 * The ports as the flow takes them. A default port that another server was given by number is replaced by a free one.
 *
 * @throws `USAGE_INVALID` when two servers were given the same port.
 */
export function portWishes(flags: { readonly [Flag in PortFlag]?: number | undefined }) {
  const wishes = wishesOf(flags);
  const exact = Object.values(wishes).flatMap(({ port, isExact }) => (isExact ? [port] : []));
  const free = (wish: WantedPort): WantedPort =>
    !wish.isExact && exact.includes(wish.port) ? { port: 0, isExact: false } : wish;
  const twice = exact.find((each, index) => exact.indexOf(each) < index);
  if (twice !== undefined) throw equalPorts(twice, flags);
  return { agent: free(wishes.agent), sandbox: free(wishes.sandbox), mcp: free(wishes.mcp) };
}

function wishesOf(flags: { readonly [Flag in PortFlag]?: number | undefined }) {
  return {
    agent: portWish(flags['agent-port'], 3351, '--agent-port'),
    sandbox: portWish(flags['sandbox-port'], 3310, '--sandbox-port'),
    mcp: portWish(flags['mcp-port'], 3931, '--mcp-port'),
  };
}

function equalPorts(port: number, flags: { readonly [Flag in PortFlag]?: number | undefined }): CloudError {
  const names = (Object.keys(portFlags) as PortFlag[]).filter((flag) => flags[flag] === port);
  const [first = '', ...others] = names.map((flag) => `--${flag}`);
  return cloudError(
    'USAGE_INVALID',
    `${[first, ...others].join(' and ')} name the same port, ${port}. Each server needs its own.`,
    `Give ${others.join(' and ')} another port; 0 takes any free one.`,
  );
}

export function portWish(asked: number | undefined, preferred: number, flag: string): WantedPort {
  return { port: asked ?? preferred, isExact: asked !== undefined && asked !== 0, flag };
}
