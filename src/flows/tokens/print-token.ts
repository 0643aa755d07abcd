import {
  defaultPrintedSeconds,
  exchangedTokenSchema,
  leastPrintedSeconds,
  type PrintedToken,
  type TokenAudience,
} from '#contracts/printed-tokens';
import { agentTokenLifetimeSeconds } from '#contracts/sessions';
import { cloudError } from '#kernel/errors/cloud-error';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import type { PlatformClient } from '#platform-client/platform-client';
import { openProject, type Project } from '#project/index';
import { readDevSession } from '../dev-session/dev-session-lock.ts';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';
import { createAgentClient } from '../run/agent-client.ts';

export interface PrintTokenInput {
  readonly folder: string;
  readonly environment: string | undefined;
  readonly audience: TokenAudience;
  /** `undefined`: an hour. */
  readonly expiresInSeconds: number | undefined;
  readonly readOnly: boolean;
  /** Address of the agent, with its prefix. Default: that of the session, or of the environment. */
  readonly agentUrl: string | undefined;
}

export interface TokenInHand extends PrintedToken {
  /** What it opens: the agent with its prefix, the MCP endpoint, or the platform. */
  readonly url: string;
}

/**
 * A token of one's own for the agent of an environment, for its MCP server, or for the platform. What is for an agent is exchanged
 * there, so that only the platform and the agent need each other's secrets.
 */
export async function printToken(context: FlowContext, input: PrintTokenInput): Promise<TokenInHand> {
  checkLifetime(input);
  const project = await openProject(context.fs, input.folder, context.variables);
  const { url: platformUrl, client } = await connectToPlatform(context, project, input.environment);
  const { audience, expiresInSeconds, readOnly } = input;
  if (audience === 'platform') {
    return { ...(await client.printToken({ audience, expiresInSeconds, readOnly })), url: platformUrl };
  }
  // The agent is looked for first, so that nothing is printed that nobody can use, or sent to what is not an agent.
  const agentUrl = await findAgent(context, project, client, platformUrl, input);
  await requireAgent(context, agentUrl);
  await warnOfServedPerson(context, project, agentUrl);
  const printed = await client.printToken({ audience, expiresInSeconds, readOnly });
  const agent = createAgentClient(context.http, { url: agentUrl, token: printed.token });
  const body = { token: printed.token };
  const answer = await agent.json({ method: 'POST', path: '/authentication/printed-token', body });
  const { token, url = agentUrl } = exchangedTokenSchema.parse(answer);
  return { ...printed, token, url };
}

/** Throws `USAGE_INVALID` for what the platform would refuse. */
function checkLifetime({ audience, expiresInSeconds = defaultPrintedSeconds }: PrintTokenInput): void {
  const isForAgent = audience !== 'platform';
  if (expiresInSeconds >= leastPrintedSeconds && (!isForAgent || expiresInSeconds <= agentTokenLifetimeSeconds)) return;
  throw cloudError(
    'USAGE_INVALID',
    `A token for ${isForAgent ? 'an agent or its MCP server' : 'the platform'} cannot live so long, or so short.`,
    `Give --expires-in at least 1m and at most ${isForAgent ? '1h' : '30d'}.`,
  );
}

async function findAgent(
  context: FlowContext,
  project: Project,
  client: PlatformClient,
  platformUrl: string,
  { agentUrl, environment }: PrintTokenInput,
): Promise<string> {
  if (agentUrl !== undefined) return addressOf(agentUrl);
  const session = (await readDevSession(context, project.root))?.servers;
  if (session?.agentUrl !== undefined && session.sandboxUrl === platformUrl) return session.agentUrl;
  const name = environment ?? project.env.get('SERVICE_ENV') ?? (await client.me()).environment;
  const known = (await client.environments()).find((each) => each.name === name)?.agentAddresses[0];
  if (known !== undefined) return addressOf(known);
  throw cloudError('USAGE_INVALID', `The platform does not know where people reach the agent of "${name}".`, [
    'Name it: --agent-url https://admin.example.com/service',
    'Or tell the platform once: PATCH /api/environments/<name> {"agentAddresses": ["https://admin.example.com/service"]}',
  ]);
}

/** A session that serves somebody else under rights still gives the developer a token of their own. */
async function warnOfServedPerson(context: FlowContext, project: Project, agentUrl: string): Promise<void> {
  const session = (await readDevSession(context, project.root))?.servers;
  const servedAs = session?.agentUrl === agentUrl ? session.agentAccess?.servedAs : undefined;
  if (!servedAs) return;
  context.reporter.warn(
    `This token is yours, and "dev" serves ${servedAs} under their rights.`,
    'Press "t" in the session for a token of theirs.',
  );
}

/** Rejects with `PLATFORM_UNREACHABLE` where no agent answers. */
async function requireAgent({ http }: FlowContext, url: string): Promise<void> {
  const noAgent = (cause?: unknown) =>
    cloudError(
      'PLATFORM_UNREACHABLE',
      `No agent answers at ${url}. No token was made.`,
      'Start it, or name another one with its prefix: --agent-url https://admin.example.com/service',
      { cause },
    );
  const answer = await http.send({ method: 'GET', url: `${url}/`, deadlineMs: 10_000 }).catch((error: unknown) => {
    throw noAgent(error);
  });
  if (answer.status !== 200) throw noAgent();
}

const defaultPrefix = '/service';

/**
 * An address without a path means the agent below its usual prefix. Throws `USAGE_INVALID` for anything but https, and http on this
 * machine: the token is sent there.
 */
function addressOf(text: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!url || !isSafe) {
    throw cloudError(
      'USAGE_INVALID',
      'The address of the agent is not an https address, and none of this machine.',
      'Give it with its prefix: --agent-url https://admin.example.com/service',
    );
  }
  return url.origin + (url.pathname === '/' ? defaultPrefix : url.pathname.replace(/\/+$/, ''));
}
