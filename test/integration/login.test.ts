import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { login } from '#flows/login/login';
import { logout } from '#flows/login/logout';
import { connectToPlatform } from '#flows/platform-access/connect-to-platform';
import { savedTokensFile, saveToken } from '#flows/platform-access/saved-tokens';
import { silentReporter } from '#kernel/ports/reporter';
import { openProject } from '#project/index';
import { approveDevice } from '../helpers/device-approval.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';

/** A command whose person opens the page that it names and says yes. */
async function personAt(platform: TeamPlatform) {
  const folder = await createShopProject();
  const told: string[] = [];
  const context = {
    ...flowContext(folder),
    variables: { SERVICE_SERVER_URL: platform.url },
    reporter: {
      ...silentReporter,
      info: (message: string) => {
        told.push(message);
        const code = /the code (\S+)\./.exec(message)?.[1];
        if (code) approval = approveDevice(platform, code);
      },
    },
  };
  let approval: Promise<void> = Promise.resolve();
  const signIn = async () => {
    const signedIn = await login(context, { folder, serverUrl: undefined, project: undefined });
    await approval;
    return signedIn;
  };
  const connect = async () => connectToPlatform(context, await openProject(context.fs, folder, context.variables));
  return { context, folder, told, signIn, connect };
}

describe('vendor-cloud login', () => {
  it('keeps a token that commands use, for its owner alone, until the next login or logout ends it', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const { context, folder, told, signIn, connect } = await personAt(platform);
    expect(await signIn()).toMatchObject({ email: bob, project: 'shop', environment: 'development' });
    expect(told[0]).toContain(`${platform.url}/oidc/device?user_code=`);
    const file = savedTokensFile(context);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const before = await connect();
    expect((await before.client.me()).user.email).toBe(bob);
    await signIn();
    await expect(before.client.me()).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
    const { client } = await connect();
    expect((await client.me()).user.email).toBe(bob);
    expect(await logout(context, { folder, serverUrl: undefined })).toMatchObject({ email: bob });
    await expect(client.me()).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
    await expect(connect()).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    await expect(logout(context, { folder, serverUrl: undefined })).rejects.toMatchObject({
      code: 'CREDENTIALS_MISSING',
    });
  });

  it('says when the sign-in has expired, and whose it was', async () => {
    const platform = await startTeamPlatform();
    const { context, connect } = await personAt(platform);
    const expired = { token: 'x', project: 'shop', environment: 'development', email: bob };
    await saveToken(context, platform.url, { ...expired, expiresAt: '2020-01-01T00:00:00.000Z' });
    await expect(connect()).rejects.toMatchObject({
      code: 'CREDENTIALS_MISSING',
      message: expect.stringContaining(`${bob} at ${platform.url} has expired`),
    });
  });
});
