import { allOfCollection, type ClientRights } from '#contracts/client-rights';
import { noSuchTool, type ToolName, toolNames } from '#contracts/mcp';
import { type ChangeMcpClient, clientInWords, type McpClient } from '#contracts/mcp-clients';
import { everyOther } from '#contracts/permission-file';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
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

/** What a program may do at most, as somebody types it. */
interface TypedLimits {
  /** Names with commas between; `undefined` for all. */
  readonly collections: string | undefined;
  readonly isReadOnly: boolean;
  readonly tools: string | undefined;
  readonly recordsPerCall: number | undefined;
  readonly writesPerHour: number | undefined;
}

interface ChangeClientInput extends Target {
  readonly id: string;
  /** `undefined` leaves it as it is; an empty text makes its own id count. */
  readonly countsAs: string | undefined;
  readonly limits: TypedLimits;
  /** Takes all limits away. */
  readonly isUnlimited: boolean;
  /** Shows what it may do afterwards, and asks whether to go on. */
  confirm(change: Omit<ChangedClient, 'isChanged'>): Promise<boolean>;
}

export interface ChangedClient {
  readonly environment: string;
  readonly id: string;
  readonly name: string | null;
  /** What was set for it, before and afterwards, one sentence each. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly isChanged: boolean;
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
  const named = clientNamed(found, id);
  const revoked = { environment: found.environment, id: named?.id ?? id, name: named?.name ?? null };
  if (named && !(await confirm(revoked))) return { ...revoked, isRevoked: false };
  await client.revokeMcpClient(revoked.id);
  return { ...revoked, isRevoked: true };
}

/** Change what a program may do. Rejects with `USAGE_INVALID` where nothing is to be changed. */
export async function changeClient(
  context: FlowContext,
  { id, countsAs, limits, isUnlimited, confirm, ...target }: ChangeClientInput,
): Promise<ChangedClient> {
  const typed = rightsOf(limits);
  const change: ChangeMcpClient = {
    ...(countsAs === undefined ? {} : { countsAs: countsAs === '' ? null : countsAs }),
    ...(isUnlimited ? { rights: null } : typed ? { rights: typed } : {}),
  };
  if (Object.keys(change).length === 0) throw nothingToChange();
  const { client, found } = await findClients(context, target);
  const named = clientNamed(found, id);
  const before = named ? clientInWords(named) : [];
  const after = named
    ? clientInWords({
        countsAs: change.countsAs === undefined ? named.countsAs : change.countsAs,
        rights: change.rights === undefined ? named.rights : change.rights,
      })
    : [];
  const shown = { environment: found.environment, id: named?.id ?? id, name: named?.name ?? null, before, after };
  if (named && !(await confirm(shown))) return { ...shown, isChanged: false };
  await client.changeMcpClient(shown.id, change);
  return { ...shown, isChanged: true };
}

function clientNamed({ clients }: ConnectedClients, id: string): McpClient | undefined {
  const fitting = clients.filter((each) => id.length >= leastPrefix && each.id.startsWith(id));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** `undefined` where no limit was typed. Throws `USAGE_INVALID` for a tool that there is not. */
function rightsOf({ collections, isReadOnly, tools, recordsPerCall, writesPerHour }: TypedLimits) {
  const given = isReadOnly ? { browse: true, read: true } : allOfCollection;
  const names = collections === undefined ? (isReadOnly ? [everyOther] : undefined) : namesIn(collections);
  const rights: ClientRights = {
    ...(names ? { collections: Object.fromEntries(names.map((name) => [name, given])) } : {}),
    ...(tools === undefined ? {} : { tools: namesIn(tools).map(toolNamed) }),
    ...(recordsPerCall === undefined ? {} : { recordsPerCall }),
    ...(writesPerHour === undefined ? {} : { writesPerHour }),
  };
  return Object.keys(rights).length > 0 ? rights : undefined;
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

function toolNamed(name: string): ToolName {
  const tool = toolNames.find((known) => known === name);
  if (tool) return tool;
  throw cloudError('USAGE_INVALID', `--tools is wrong: ${noSuchTool(name)}.`, 'Name tools with commas between.');
}

function nothingToChange(): CloudError {
  return cloudError(
    'USAGE_INVALID',
    'Nothing says what the program may do from now on.',
    'Give --collections, --read-only, --tools, --records-per-call, --writes-per-hour, --counts-as or --no-limits.',
  );
}

async function findClients(context: FlowContext, { folder, environment }: Target) {
  const project = await openProject(context.fs, folder, context.variables);
  const { client } = await connectToPlatform(context, project, environment);
  const [me, clients] = await Promise.all([client.me(), client.mcpClients()]);
  const found: ConnectedClients = { environment: me.environment, clients };
  return { client, found };
}
