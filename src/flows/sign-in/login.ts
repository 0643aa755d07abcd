import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { beginDeviceSignIn } from '#platform-client/device-sign-in';
import { createPlatformClient } from '#platform-client/platform-client';
import type { FlowContext } from '../flow-context.ts';
import { platformUrlIn, platformUrlOf } from '../platform-access/connect-to-platform.ts';
import { findSavedSignIn, findSavedToken, saveToken } from '../platform-access/platform-tokens.ts';
import { readProjectParts } from '../platform-access/project-parts.ts';
import { endSignIn, type SignedIn } from './logout.ts';

export interface LoginInput {
  readonly folder: string;
  /** Address of the platform; that of the project or of the environment variable by default. */
  readonly serverUrl: string | undefined;
  /** Needed by members of several projects. */
  readonly project: string | undefined;
  /** A token to keep, instead of a sign-in in a browser. */
  readonly token?: string | undefined;
}

/**
 * Sign in to a platform in a browser, or with a token, and keep the token for the commands. The sign-in before it ends. Rejects with
 * `SIGN_IN_REFUSED`, with `REQUEST_FORBIDDEN` for somebody who is a member of no such project, or with `PLATFORM_UNAUTHENTICATED` for a
 * token that the platform does not know.
 */
export async function login(context: FlowContext, input: LoginInput): Promise<SignedIn> {
  const { reporter, variables } = context;
  const serverUrl = input.serverUrl ?? (await platformUrlIn(context, input.folder));
  await tellOfSignIn(context, serverUrl);
  const token = input.token ?? (await tokenFromBrowser(context, serverUrl, input.project));
  const signedIn = await keepSignIn(context, serverUrl, token);
  if (variables['SERVICE_AUTH_TOKEN']) {
    reporter.warn('SERVICE_AUTH_TOKEN is set, and wins over this sign-in.', 'Unset it to use the sign-in.');
  }
  await tellOfOtherPlatform(context, input.folder, serverUrl);
  return signedIn;
}

/** A sign-in does not yet make the commands of a project talk to that platform. */
async function tellOfOtherPlatform(context: FlowContext, folder: string, serverUrl: string): Promise<void> {
  const { root, ...parts } = await readProjectParts(context, folder);
  const used = platformUrlOf(parts, undefined);
  if (root === undefined || used === serverUrl) return;
  context.reporter.info(
    `The commands of this project talk to ${used}. Link it to this platform: vendor-cloud link --to ${serverUrl}`,
  );
}

async function tokenFromBrowser(
  { http, reporter }: FlowContext,
  serverUrl: string,
  project: string | undefined,
): Promise<string> {
  const signIn = await beginDeviceSignIn(serverUrl, http).catch((error: unknown) => {
    throw withAddressStep(error);
  });
  reporter.info(`Open ${signIn.completeUrl}`);
  reporter.info(`The page shows the code ${signIn.userCode}. If it shows another one, say no.`);
  const userToken = await reporter.step('Waiting for the browser', () => signIn.finished());
  const client = createPlatformClient({ serverUrl, http, credentials: { userToken } });
  return (await client.createToken(project === undefined ? {} : { project })).token;
}

/** A platform that does not answer may be another one than is meant. */
function withAddressStep(error: unknown): unknown {
  if (!isCloudError(error) || error.code !== 'PLATFORM_UNREACHABLE') return error;
  const { message, nextSteps, safeDetails } = error;
  const another = 'For the platform of a team, name it: vendor-cloud login --server-url https://platform.example.com';
  return cloudError('PLATFORM_UNREACHABLE', message, [another, ...nextSteps], { safeDetails, cause: error });
}

/** Somebody who is signed in already learns what becomes of that. */
async function tellOfSignIn(context: FlowContext, serverUrl: string): Promise<void> {
  const saved = await findSavedToken(context, serverUrl).catch(ignoreMissing);
  if (!saved) return;
  const client = createPlatformClient({ serverUrl, http: context.http, credentials: { userToken: saved.token } });
  const me = await client.me().catch(ignoreMissing);
  if (!me) return;
  const until = saved.expiresAt === null ? '' : `, until ${saved.expiresAt.slice(0, 10)}`;
  context.reporter.info(
    `${me.user.email} is signed in to ${serverUrl} already${until}. A new sign-in takes the place of that one, which ends.`,
  );
}

/** A token that is missing, locked away or no longer valid is not a reason not to sign in. */
function ignoreMissing(error: unknown): undefined {
  if (isCloudError(error) && (error.code === 'CREDENTIALS_MISSING' || error.code === 'PLATFORM_UNAUTHENTICATED'))
    return;
  throw error;
}

/**
 * Keep a token for the commands, in place of the one before it, which ends. The platform says whose it is. Rejects with
 * `PLATFORM_UNAUTHENTICATED` for a token that it does not know.
 */
async function keepSignIn(context: FlowContext, serverUrl: string, token: string): Promise<SignedIn> {
  const client = createPlatformClient({ serverUrl, http: context.http, credentials: { userToken: token } });
  const { user, project, environment } = await client.me();
  const current = (await client.sessions()).find((session) => session.isCurrent);
  const signIn = { project, environment, email: user.email, expiresAt: current?.expiresAt ?? null };
  await endSignIn(context, serverUrl, token);
  const place = await saveToken(context, serverUrl, { token, ...signIn });
  return { serverUrl, ...signIn, place };
}

/** Sign in to a platform where nobody is signed in. Without a person at the terminal, only say how. */
export async function ensureSignedIn(context: FlowContext, serverUrl: string): Promise<void> {
  if (context.variables['SERVICE_AUTH_TOKEN']) return;
  const saved = await findSavedSignIn(context, serverUrl);
  if (saved && (saved.expiresAt === null || Date.parse(saved.expiresAt) > context.clock.now())) return;
  if (context.isInteractive) {
    await login(context, { folder: context.workingFolder, serverUrl, project: undefined });
    return;
  }
  context.reporter.warn(`Nobody is signed in to ${serverUrl}.`, `vendor-cloud login --server-url ${serverUrl}`);
}
