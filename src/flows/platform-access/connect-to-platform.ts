import type { DevSession } from '#contracts/dev-session';
import { variables } from '#kernel/environment/variables';
import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient, type PlatformClient } from '#platform/index';
import { openProject, type Project } from '#project/index';
import { readDevSession } from '../dev/dev-lock.ts';
import type { FlowContext } from '../flow-context.ts';
import { findSavedToken } from './saved-tokens.ts';

export interface PlatformAccess {
  readonly url: string;
  readonly client: PlatformClient;
}

/**
 * The platform a command of a project talks to.
 *
 * @param environment Name of the environment; that of the token by default.
 */
export async function connectToPlatform(
  context: FlowContext,
  project: Project,
  environment?: string | undefined,
): Promise<PlatformAccess> {
  const { url, userToken } = await tokenForPlatform(context, project);
  const options = { serverUrl: url, http: context.http, credentials: { userToken } };
  return { url, client: createPlatformClient(environment === undefined ? options : { ...options, environment }) };
}

/**
 * Which platform: what the environment says, then the project's configuration, then the `dev` session that serves the project, then the
 * default address. As whom: SERVICE_AUTH_TOKEN, then the session of `dev` for its own platform, then who has signed in with `login`.
 */
export async function tokenForPlatform(
  context: FlowContext,
  project: Project,
): Promise<{ readonly url: string; readonly userToken: string }> {
  const session = (await readDevSession(context, project.root))?.servers;
  const url = platformUrlOf(project, session);
  // The session's token is for the session's server alone.
  const own = url === session?.sandboxUrl ? session.platformToken : undefined;
  const userToken = project.env.get('SERVICE_AUTH_TOKEN') ?? own ?? (await savedTokenOf(context, url));
  if (userToken) return { url, userToken };
  throw missing(url);
}

/** The platform that a command talks to in a folder without regard to `dev`; the folder may hold no project. */
export async function platformUrlIn(context: FlowContext, folder: string): Promise<string> {
  const project = await openProject(context.fs, folder, context.variables).catch((error: unknown) => {
    if (isCloudError(error) && error.code === 'PROJECT_NOT_FOUND') return undefined;
    throw error;
  });
  if (project) return platformUrlOf(project, undefined);
  return context.variables['SERVICE_SERVER_URL'] ?? variables.SERVICE_SERVER_URL.default;
}

/** Connect to the platform of a project with the secret of its environment. */
export async function connectAsAgent(
  context: FlowContext,
  project: Project,
): Promise<{ readonly url: string; readonly envSecret: string }> {
  const url = platformUrlOf(project, (await readDevSession(context, project.root))?.servers);
  const envSecret = project.env.get('SERVICE_ENV_SECRET');
  if (envSecret) return { url, envSecret };
  throw new CloudError({
    code: 'CREDENTIALS_MISSING',
    message: `There is no environment secret for the platform at ${url}, so it is not known which environment is meant.`,
    nextSteps: ['Set SERVICE_ENV_SECRET to the secret of the environment, in .env for instance.'],
  });
}

async function savedTokenOf(context: FlowContext, url: string): Promise<string | undefined> {
  const saved = await findSavedToken(context, url);
  if (!saved || Date.parse(saved.expiresAt) > context.clock.now()) return saved?.token;
  throw new CloudError({
    code: 'CREDENTIALS_MISSING',
    message: `The sign-in of ${saved.email} at ${url} has expired.`,
    nextSteps: ['Sign in again: vendor-cloud login'],
  });
}

function platformUrlOf(project: Project, session: DevSession['servers']): string {
  const configured = project.env.get('SERVICE_SERVER_URL') ?? project.config.serverUrl;
  return configured ?? session?.sandboxUrl ?? variables.SERVICE_SERVER_URL.default;
}

function missing(url: string): CloudError {
  return new CloudError({
    code: 'CREDENTIALS_MISSING',
    message: `There is no token for the platform at ${url}, and neither "vendor-cloud dev" nor "sandbox" serves this project.`,
    nextSteps: [
      'For the local platform: run "vendor-cloud dev" in this project, in another terminal.',
      'For another one: set SERVICE_SERVER_URL, then run "vendor-cloud login"; a script sets SERVICE_AUTH_TOKEN.',
    ],
  });
}
