import type { ApiToken, ApiTokenLevel, NewApiToken, WantedApiScope } from '#contracts/api-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { PlatformClient } from '#platform-client/platform-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

export interface TokenOfProject {
  readonly project: string;
  readonly token: Pick<ApiToken, 'name'>;
}

/** Shows a token that would change and asks whether to go on. */
export type ConfirmToken = (token: TokenOfProject) => Promise<boolean>;

export interface ListedTokens {
  readonly project: string;
  readonly tokens: readonly ApiToken[];
}

/** The API tokens of a project, active ones first. */
export async function listTokens(context: FlowContext, folder: string): Promise<ListedTokens> {
  const { client, project } = await connectToTokens(context, folder);
  const { tokens } = await client.listApiTokens(project);
  return { project, tokens };
}

interface CreateTokenInput {
  readonly folder: string;
  readonly name: string;
  /** Empty: those of the level. */
  readonly scopes: readonly WantedApiScope[];
  readonly level: ApiTokenLevel | undefined;
  /** `undefined`: as long as the platform gives by default. */
  readonly expiresInSeconds: number | undefined;
  readonly neverExpires: boolean;
  /** Addresses and ranges from which it may be used. Empty: every address. */
  readonly allowedCidrs: readonly string[];
}

/** A token with its secret, which nobody can read again. */
export interface TokenWithSecret extends NewApiToken {
  readonly project: string;
}

/** Make an API token of a project. */
export async function createToken(context: FlowContext, input: CreateTokenInput): Promise<TokenWithSecret> {
  const { folder, name, scopes, level = 'read-only', expiresInSeconds, neverExpires, allowedCidrs } = input;
  const { client, project } = await connectToTokens(context, folder);
  const made = await client.createApiToken(project, {
    name,
    ...(scopes.length > 0 ? { scopes: [...scopes] } : { level }),
    ...(neverExpires ? { neverExpires } : { expiresInSeconds }),
    allowedCidrs: [...allowedCidrs],
  });
  return { project, ...made };
}

interface RotateTokenInput {
  readonly folder: string;
  readonly id: number;
  /** How long the secret before stays valid; `undefined`: 24 hours. */
  readonly overlapSeconds: number | undefined;
  readonly confirm: ConfirmToken;
}

/** Give an API token a new secret. Rejects with `INTERRUPTED` when that is not wanted: no secret is not an answer for a script. */
export async function rotateToken(context: FlowContext, input: RotateTokenInput): Promise<TokenWithSecret> {
  const { folder, id, overlapSeconds, confirm } = input;
  const { client, project } = await connectToTokens(context, folder);
  if (!(await isTokenConfirmed(client, { project, id, confirm }))) throw notWanted();
  return { project, ...(await client.rotateApiToken(project, id, overlapSeconds)) };
}

function notWanted(): CloudError {
  return cloudError('INTERRUPTED', 'The token keeps its secret.', 'Run the command again to replace it.');
}

export interface RevokedToken {
  readonly project: string;
  readonly id: number;
  /** Whether the token has ended. */
  readonly isRevoked: boolean;
}

/** End an API token at once. */
export async function revokeToken(
  context: FlowContext,
  { folder, id, confirm }: { readonly folder: string; readonly id: number; readonly confirm: ConfirmToken },
): Promise<RevokedToken> {
  const { client, project } = await connectToTokens(context, folder);
  if (!(await isTokenConfirmed(client, { project, id, confirm }))) return { project, id, isRevoked: false };
  await client.revokeApiToken(project, id);
  return { project, id, isRevoked: true };
}

/** Whether a token may change. Nobody is asked about one that is not active: the platform says what is wrong with it. */
async function isTokenConfirmed(
  client: PlatformClient,
  { project, id, confirm }: { readonly project: string; readonly id: number; readonly confirm: ConfirmToken },
): Promise<boolean> {
  const { tokens } = await client.listApiTokens(project);
  const token = tokens.find((each) => each.id === id && each.state === 'active');
  return token === undefined || (await confirm({ project, token }));
}

/** The project of a folder as its platform knows it, and the connection to manage its API tokens over. */
async function connectToTokens(
  context: FlowContext,
  folder: string,
): Promise<{ readonly client: PlatformClient; readonly project: string }> {
  const opened = await openProject(context.fs, folder, context.variables);
  const { client } = await connectToPlatform(context, opened);
  const { project } = await client.me();
  return { client, project };
}
