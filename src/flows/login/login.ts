import { beginDeviceSignIn, createPlatformClient } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import { platformUrlIn } from '../platform-access/connect-to-platform.ts';
import { saveToken } from '../platform-access/saved-tokens.ts';
import { endSignIn } from './end-sign-in.ts';
import type { SignedIn } from './signed-in.ts';

export interface LoginInput {
  readonly folder: string;
  /** Address of the platform; that of the project or of the environment variable by default. */
  readonly serverUrl: string | undefined;
  /** Needed by members of several projects. */
  readonly project: string | undefined;
}

/**
 * Sign in to a platform in a browser, and keep the token for the commands. The sign-in before it ends. Rejects with
 * `SIGN_IN_REFUSED`, or with `REQUEST_FORBIDDEN` for somebody who is a member of no such project.
 */
export async function login(context: FlowContext, input: LoginInput): Promise<SignedIn> {
  const { http, reporter } = context;
  const serverUrl = input.serverUrl ?? (await platformUrlIn(context, input.folder));
  const signIn = await beginDeviceSignIn(serverUrl, http);
  reporter.info(`Open ${signIn.completeUrl}`);
  reporter.info(`The page shows the code ${signIn.userCode}. If it shows another one, say no.`);
  const accessToken = await reporter.step('Waiting for the browser', () => signIn.finished());
  const clientWith = (userToken: string) => createPlatformClient({ serverUrl, http, credentials: { userToken } });
  const bought = await clientWith(accessToken).createToken(
    input.project === undefined ? {} : { project: input.project },
  );
  const { token, project, environment, expiresAt } = bought;
  const { user } = await clientWith(token).me();
  const signedIn = { project, environment, expiresAt, email: user.email };
  await endSignIn(context, serverUrl);
  await saveToken(context, serverUrl, { token, ...signedIn });
  return { serverUrl, ...signedIn };
}
