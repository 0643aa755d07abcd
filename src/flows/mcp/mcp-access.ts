import { mcpScopes } from '#contracts/mcp';
import { cloudError } from '#kernel/errors/cloud-error';
import { openProject } from '#project/index';
import { readDevSession } from '../dev-session/dev-session-lock.ts';
import type { FlowContext } from '../flow-context.ts';
import { readServedPerson } from '../local-platform/served-person.ts';
import type { ServeOnceInput } from '../project-agent/serve-once.ts';

/** An MCP server, and a token for it where there is one. */
export interface McpAccess {
  readonly url: string;
  readonly token: string | undefined;
}

export interface McpServerInput extends ServeOnceInput {
  /** Any MCP server, in place of that of the project. */
  readonly url: string | undefined;
}

/**
 * Use an MCP server: the one that the input names, or the agent's in `SERVICE_AGENT_URL`, with the token in
 * `SERVICE_MCP_TOKEN`. Else it is the server of the `dev` session that serves the project for the same person, else one that is
 * started for this.
 */
export async function withMcpServer<Result>(
  context: FlowContext,
  input: McpServerInput,
  use: (access: McpAccess) => Promise<Result>,
): Promise<Result> {
  const url = addressOfOther(context, input);
  if (url !== undefined) return use({ url, token: context.variables['SERVICE_MCP_TOKEN'] });
  const running = await accessToSession(context, input);
  if (running) return use(running);
  const { serveOnce } = await import('../project-agent/serve-once.ts');
  return serveOnce(context, input, ({ servers }) => use({ url: servers.mcpUrl, token: servers.mcpToken }));
}

/** The address of the MCP server in place of that of the project. Throws `USAGE_INVALID` if it is not an address. */
export function addressOfOther(context: FlowContext, { url }: Pick<McpServerInput, 'url'>): string | undefined {
  return url ?? urlOfAgent(context);
}

/** An agent has its MCP server at the root of its host. */
function urlOfAgent({ variables: { SERVICE_AGENT_URL: agent } }: FlowContext): string | undefined {
  if (!agent) return undefined;
  const url = URL.parse('/mcp', agent);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw cloudError(
    'USAGE_INVALID',
    'SERVICE_AGENT_URL is not an http or https address.',
    'Set it to the address of an agent, such as https://admin.example.com, or remove it.',
  );
}

async function accessToSession(context: FlowContext, { folder, as }: McpServerInput): Promise<McpAccess | undefined> {
  const project = await openProject(context.fs, folder, context.variables);
  const { mcpUrl, agentAccess } = (await readDevSession(context, project.root))?.servers ?? {};
  if (mcpUrl === undefined || agentAccess === undefined) return undefined;
  const person = await readServedPerson(context, project, as);
  if ((person?.email ?? null) !== agentAccess.servedAs) return undefined;
  const { authSecret, identity } = agentAccess;
  const { createMcpTokens } = await import('#runtime/index');
  const tokens = createMcpTokens(authSecret, context.clock, context.random, () => false);
  return { url: mcpUrl, token: await tokens.issue(identity, mcpUrl, mcpScopes) };
}
