import type { SignInLink } from '#contracts/sign-in';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient } from '#platform-client/platform-client';
import { openProject } from '#project/index';
import { readDevSession } from '../dev-session/dev-session-lock.ts';
import type { FlowContext } from '../flow-context.ts';

export interface MadeSignInLink extends SignInLink {
  /** Of the platform. */
  readonly url: string;
}

/**
 * Ask the platform of the `dev` or `sandbox` that serves a project for a link that signs a browser in, as the person that the session serves.
 * Rejects with `USAGE_INVALID` where no such platform runs.
 */
export async function makeSignInLink(context: FlowContext, folder: string): Promise<MadeSignInLink> {
  const project = await openProject(context.fs, folder, context.variables);
  const session = await readDevSession(context, project.root);
  const { sandboxUrl, platformToken, agentAccess } = session?.servers ?? {};
  if (sandboxUrl === undefined || platformToken === undefined) throw noLocalPlatform(session !== null);
  const options = { serverUrl: sandboxUrl, http: context.http, credentials: { userToken: platformToken } };
  const link = await createPlatformClient(options).makeSignInLink({ person: agentAccess?.identity.id });
  return { url: sandboxUrl, ...link };
}

function noLocalPlatform(isServed: boolean): CloudError {
  return cloudError(
    'USAGE_INVALID',
    isServed
      ? 'The session that serves this project has no local platform, or is still starting.'
      : 'Neither "vendor-cloud dev" nor "sandbox" serves this project, so there is no local platform to sign in to.',
    isServed
      ? 'On the platform of a team, sign in with your own account.'
      : 'Run "vendor-cloud dev" in this project, in another terminal.',
  );
}
