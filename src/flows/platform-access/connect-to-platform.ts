import type { DevSession } from '#contracts/dev-session';
import { variables } from '#kernel/environment/variables';
import { CloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient, type PlatformClient } from '#platform/index';
import type { Project } from '#project/index';
import { readDevSession } from '../dev/dev-lock.ts';
import type { FlowContext } from '../flow-context.ts';

export interface PlatformAccess {
  readonly url: string;
  readonly client: PlatformClient;
}

/**
 * The platform a command of a project talks to, and as whom: what the environment says, then the project's
 * configuration, then the `dev` session that serves the project, then the default address.
 *
 * @param environment Name of the environment; that of the token by default.
 */
export async function connectToPlatform(
  context: FlowContext,
  project: Project,
  environment?: string | undefined,
): Promise<PlatformAccess> {
  const session = (await readDevSession(context, project.root))?.servers;
  const url = platformUrlOf(project, session);
  // The session's token is for the session's server alone.
  const userToken =
    project.env.get('SERVICE_AUTH_TOKEN') ?? (url === session?.sandboxUrl ? session.platformToken : undefined);
  if (!userToken) throw missing(url);
  const options = { serverUrl: url, http: context.http, credentials: { userToken } };
  return { url, client: createPlatformClient(environment === undefined ? options : { ...options, environment }) };
}

/** Where the platform of a project is, the environment secret being what one comes with. */
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

function platformUrlOf(project: Project, session: DevSession['servers']): string {
  const configured = project.env.get('SERVICE_SERVER_URL') ?? project.config.serverUrl;
  return configured ?? session?.sandboxUrl ?? variables.SERVICE_SERVER_URL.default;
}

function missing(url: string): CloudError {
  return new CloudError({
    code: 'CREDENTIALS_MISSING',
    message: `There is no token for the platform at ${url}, and no "vendor-cloud dev" serves this project.`,
    nextSteps: [
      'For the local platform: run "vendor-cloud dev" in this project, in another terminal.',
      'For another one: set SERVICE_SERVER_URL and SERVICE_AUTH_TOKEN.',
    ],
  });
}
