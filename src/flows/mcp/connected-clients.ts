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
  /** Whether it is disconnected. */
  readonly isRevoked: boolean;
}

interface RevokeClientInput extends Target {
  /** Whole, or as many of its first characters as tell it from others. */
  readonly id: string;
  /** Shows the program and asks whether to go on. Nobody is asked about one that is not connected. */
  confirm(client: Omit<RevokedClient, 'isRevoked'>): Promise<boolean>;
}

/** Fewer characters of an id are taken for the whole of it. */
const leastPrefix = 8;

/** The programs that somebody has let in to the MCP server of an environment. */
export async function listConnectedClients(context: FlowContext, target: Target): Promise<ConnectedClients> {
  return (await findClients(context, target)).found;
}

/** Disconnect a program. */
export async function revokeClient(
  context: FlowContext,
  { id, confirm, ...target }: RevokeClientInput,
): Promise<RevokedClient> {
  const { client, found } = await findClients(context, target);
  const fitting = found.clients.filter((each) => id.length >= leastPrefix && each.id.startsWith(id));
  const [named] = fitting.length === 1 ? fitting : [];
  const revoked = { environment: found.environment, id: named?.id ?? id, name: named?.name ?? null };
  if (named && !(await confirm(revoked))) return { ...revoked, isRevoked: false };
  await client.revokeMcpClient(revoked.id);
  return { ...revoked, isRevoked: true };
}

async function findClients(context: FlowContext, { folder, environment }: Target) {
  const project = await openProject(context.fs, folder, context.variables);
  const { client } = await connectToPlatform(context, project, environment);
  const [me, clients] = await Promise.all([client.me(), client.mcpClients()]);
  const found: ConnectedClients = { environment: me.environment, clients };
  return { client, found };
}
