import type { McpClient } from '#contracts/mcp-clients';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

interface Target {
  readonly folder: string;
  readonly environment: string | undefined;
}

export interface ConnectedClients {
  readonly environment: string;
  /** The newest first. */
  readonly clients: readonly McpClient[];
}

export interface RevokedClient {
  readonly environment: string;
  readonly id: string;
  readonly name: string | null;
}

/** Fewer characters of an id are taken for the whole of it. */
const leastPrefix = 8;

/** The programs that somebody has let in to the MCP server of an environment. */
export async function listConnectedClients(context: FlowContext, target: Target): Promise<ConnectedClients> {
  return (await findClients(context, target)).found;
}

/** @param id Whole, or as many of its first characters as tell it from others. */
export async function revokeClient(
  context: FlowContext,
  { id, ...target }: Target & { readonly id: string },
): Promise<RevokedClient> {
  const { client, found } = await findClients(context, target);
  const fitting = found.clients.filter((each) => id.length >= leastPrefix && each.id.startsWith(id));
  const [named] = fitting.length === 1 ? fitting : [];
  await client.revokeMcpClient(named?.id ?? id);
  return { environment: found.environment, id: named?.id ?? id, name: named?.name ?? null };
}

async function findClients(context: FlowContext, { folder, environment }: Target) {
  const project = await openProject(context.fs, folder, context.variables);
  const { client } = await connectToPlatform(context, project, environment);
  const [me, clients] = await Promise.all([client.me(), client.mcpClients()]);
  const found: ConnectedClients = { environment: me.environment, clients };
  return { client, found };
}
