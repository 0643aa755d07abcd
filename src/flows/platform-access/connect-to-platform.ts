import type { DevSession } from '#contracts/dev-session';
import type { ProjectConfig } from '#contracts/project-config';
import type { Caller } from '#contracts/public-api/caller';
import { variables } from '#kernel/environment/variables';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { type Env, layeredEnv } from '#kernel/ports/env';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { DeployingClient } from '#platform-client/deploying-client';
import type { PlatformClient } from '#platform-client/platform-client';
import { openProject, type Project } from '#project/index';
import { readDevSession } from '../dev-session/dev-session-lock.ts';
import type { FlowContext } from '../flow-context.ts';
import { type FoundToken, type TokenPlaces, tokensFor } from './platform-tokens.ts';

export interface PlatformAccess {
  readonly url: string;
  readonly client: PlatformClient;
}

/**
 * The platform a command of a project talks to.
 *
 * @param environment Name of the environment; by default that of `SERVICE_ENV` or of the link, else that of the token.
 */
export async function connectToPlatform(
  context: FlowContext,
  project: Project,
  environment?: string | undefined,
): Promise<PlatformAccess> {
  const { createPlatformClient } = await import('#platform-client/platform-client');
  const options = await clientOptions(context, project, environment);
  return { url: options.serverUrl, client: createPlatformClient(options) };
}

/** The same for who deploys, and asks for nothing else. It is loaded in less time. */
export async function connectToDeploy(
  context: FlowContext,
  project: Project,
  environment?: string | undefined,
): Promise<{ readonly url: string; readonly client: DeployingClient }> {
  const { createDeployingClient } = await import('#platform-client/deploying-client');
  const options = await clientOptions(context, project, environment);
  return { url: options.serverUrl, client: createDeployingClient(options) };
}

async function clientOptions(context: FlowContext, project: Project, environment: string | undefined) {
  const { url: serverUrl, userToken } = await tokenForPlatform(context, project);
  const options = { serverUrl, http: context.http, credentials: { userToken } };
  const wanted = environment ?? project.env.get('SERVICE_ENV');
  return wanted === undefined ? options : { ...options, environment: wanted };
}

/**
 * Which platform: what the environment says, then the project's configuration, then the `dev` session that serves the project, then the
 * default address. `tokensFor` says which person it speaks for.
 */
export async function tokenForPlatform(
  context: FlowContext,
  project: Project,
): Promise<{ readonly url: string; readonly userToken: string }> {
  const session = (await readDevSession(context, project.root))?.servers;
  const url = platformUrlOf(project, session);
  return { url, userToken: await tokenOf(context, { url, env: project.env, session }) };
}

/** The token for a platform. Rejects with `CREDENTIALS_MISSING` if there is none, or where it has expired. */
export async function tokenOf(context: FlowContext, places: TokenPlaces): Promise<string> {
  for await (const found of tokensFor(context, places)) {
    refuseExpired(context, found, places.url);
    return found.token;
  }
  throw noToken(places.url);
}

/** The platform that a command talks to in a folder without regard to `dev`; the folder may hold no project. */
export async function platformUrlIn(context: FlowContext, folder: string): Promise<string> {
  const project = await openProject(context.fs, folder, context.variables).catch((error: unknown) => {
    if (isCloudError(error) && error.code === 'PROJECT_NOT_FOUND') return undefined;
    throw error;
  });
  return platformUrlOf(project ?? { env: layeredEnv(context.variables) }, undefined);
}

/** Connect to the platform of a project with the secret of its environment. */
export async function connectAsAgent(
  context: FlowContext,
  project: Project,
): Promise<{ readonly url: string; readonly envSecret: string }> {
  const url = platformUrlOf(project, (await readDevSession(context, project.root))?.servers);
  return { url, envSecret: envSecretOf(project, url) };
}

/** The secret of the environment. Throws `CREDENTIALS_MISSING`. */
export function envSecretOf({ env }: Pick<Project, 'env'>, url: string): string {
  const envSecret = env.get('SERVICE_ENV_SECRET');
  if (envSecret) return envSecret;
  throw cloudError(
    'CREDENTIALS_MISSING',
    `There is no environment secret for the platform at ${url}, so it is not known which environment is meant.`,
    'Set SERVICE_ENV_SECRET to the secret of the environment, in .env for instance.',
  );
}

function refuseExpired({ clock }: FlowContext, { email, expiresAt }: FoundToken, url: string): void {
  if (!expiresAt || Date.parse(expiresAt) > clock.now()) return;
  throw cloudError(
    'CREDENTIALS_MISSING',
    `The sign-in of ${email} at ${url} has expired.`,
    'Sign in again: vendor-cloud login',
  );
}

/** What names the platform of a folder; without a configuration outside a project. */
interface PlatformSettings {
  readonly env: Env;
  readonly config?: Pick<ProjectConfig, 'serverUrl'> | undefined;
}

/** The platform that a command talks to, beside a running session of `dev`. */
export function platformUrlOf(project: PlatformSettings, session: DevSession['servers']): string {
  const configured = project.env.get('SERVICE_SERVER_URL') ?? project.config?.serverUrl;
  return configured ?? session?.sandboxUrl ?? variables.SERVICE_SERVER_URL.default;
}

/** Nobody is signed in to a platform. */
export function noToken(url: string): CloudError {
  // Somebody chose this platform, for instance with "vendor-cloud link". A session of "dev" is another one.
  if (url !== variables.SERVICE_SERVER_URL.default) {
    return cloudError(
      'CREDENTIALS_MISSING',
      `There is no token for the platform at ${url}.`,
      `Sign in: vendor-cloud login --server-url ${url}; a script sets SERVICE_AUTH_TOKEN.`,
    );
  }
  return cloudError(
    'CREDENTIALS_MISSING',
    `There is no token for the platform at ${url}, and neither "vendor-cloud dev" nor "sandbox" serves this project.`,
    [
      'For the local platform: run "vendor-cloud dev" in this project, in another terminal.',
      'For that of a team: vendor-cloud login --server-url https://platform.example.com; a script sets SERVICE_AUTH_TOKEN.',
    ],
  );
}

/**
 * The environment that somebody asks about in the public API.
 *
 * @param wanted its name; by default that of `SERVICE_ENV` or of the link, else the development environment.
 */
export function environmentOfCaller(caller: Caller, { env }: Pick<Project, 'env'>, wanted: string | undefined): string {
  const environment = wanted ?? env.get('SERVICE_ENV') ?? caller.environment;
  if (environment !== null && caller.environments.includes(environment)) return environment;
  throw cloudError(
    'USAGE_INVALID',
    `The project "${caller.project}" has no environment "${environment ?? ''}".${didYouMean(nearestName(environment ?? '', caller.environments))}`,
    `Name one of: ${caller.environments.join(', ')}.`,
  );
}
