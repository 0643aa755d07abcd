import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderLogout } from '#cli/rendering/render-sign-in';
import type { FlowContext } from '#flows/flow-context';
import { connectToPlatform } from '#flows/platform-access/connect-to-platform';
import { readKeychain } from '#flows/platform-access/keychain';
import { savedTokensFile, saveToken } from '#flows/platform-access/platform-tokens';
import { ensureSignedIn, login } from '#flows/sign-in/login';
import { logout } from '#flows/sign-in/logout';
import { whoAmI } from '#flows/sign-in/who-am-i';
import type { Keychain } from '#kernel/ports/keychain';
import { silentReporter } from '#kernel/ports/reporter';
import { createKeychain, exitCodeOfMissingLibrary } from '#node/system/system-keychain';
import { openProject } from '#project/index';
import { approveDevice } from '../helpers/device-approval.ts';
import { fakeKeychain } from '../helpers/fake-keychain.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { plainTerminal } from '../helpers/plain-terminal.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { canRunKeychain, keychainProcessUrl, systemKeychain } from '../helpers/system-keychain.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const ada = 'ada@example.test';
const bob = 'bob@example.test';

/** A command whose person opens the page that it names and says yes. */
async function personAt(platform: TeamPlatform, change: Partial<FlowContext> = {}) {
  const folder = await createShopProject();
  const told: string[] = [];
  const context = {
    ...flowContext(folder),
    ...change,
    variables: { ...change.variables, SERVICE_SERVER_URL: platform.url },
    reporter: {
      ...silentReporter,
      info: (message: string) => {
        told.push(message);
        const code = /the code (\S+)\./.exec(message)?.[1];
        if (code) approval = approveDevice(platform, code);
      },
      warn: (message: string) => void told.push(message),
    },
  };
  let approval: Promise<void> = Promise.resolve();
  const signIn = async () => {
    const signedIn = await login(context, { folder, serverUrl: undefined, project: undefined });
    await approval;
    return signedIn;
  };
  const keep = (token: string) => login(context, { folder, serverUrl: undefined, project: undefined, token });
  const connect = async () => connectToPlatform(context, await openProject(context.fs, folder, context.variables));
  return { context, folder, told, signIn, keep, connect };
}

describe('vendor-cloud login', () => {
  it('keeps a token that commands use, for its owner only, until the next login or logout ends it', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const { context, folder, told, signIn, connect } = await personAt(platform);
    await ensureSignedIn({ ...context, isInteractive: false }, platform.url);
    expect(told).toEqual([`Nobody is signed in to ${platform.url}.`]);
    told.length = 0;
    await ensureSignedIn({ ...context, isInteractive: true }, platform.url);
    expect(await whoAmI(context, { folder, serverUrl: undefined })).toMatchObject({
      user: { email: bob },
      project: 'shop',
      environment: 'development',
    });
    expect(told[0]).toContain(`${platform.url}/oidc/device?user_code=`);
    const toldSoFar = told.length;
    await ensureSignedIn({ ...context, isInteractive: true }, platform.url);
    expect(told).toHaveLength(toldSoFar);
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
    const again = await logout(context, { folder, serverUrl: undefined });
    expect(again).toEqual({ serverUrl: platform.url, wasSignedIn: false });
    expect(renderLogout(again, plainTerminal())).toContain(`Not signed in to ${platform.url}.`);
  });

  it('says what becomes of a sign-in that is still valid', async () => {
    const platform = await startTeamPlatform();
    const { told, keep } = await personAt(platform);
    await keep(platform.token);
    expect(told.join()).not.toContain('already');
    await keep(platform.token);
    expect(told.join()).toMatch(
      new RegExp(`${ada} is signed in to ${platform.url} already, until .* takes the place of that one`),
    );
  });

  it('keeps the token in the keychain of the system, and none in the file, until the logout', async () => {
    const { keychain, secret: kept } = await fakeKeychain(await temporaryFolder());
    const platform = await startTeamPlatform();
    const { context, folder, keep, connect } = await personAt(platform, { keychain });
    expect(await keep(platform.token)).toMatchObject({ email: ada, place: 'keychain' });
    const secret = await kept();
    expect(await readFile(savedTokensFile(context), 'utf8')).not.toContain(secret);
    expect((await (await connect()).client.me()).user.email).toBe(ada);
    expect(await whoAmI(context, { folder, serverUrl: undefined })).toMatchObject({ source: 'keychain' });
    await logout(context, { folder, serverUrl: undefined });
    expect(await kept()).toBeNull();
  });

  it('keeps the token in the file where the keychain does not give back what it took', async () => {
    const tools = { run: async () => ({ exitCode: 0, stdout: '', stderr: '' }) };
    const variables = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    const platform = await startTeamPlatform();
    const { keep } = await personAt(platform, {
      keychain: createKeychain({ tools, variables, system: 'linux', processUrl: keychainProcessUrl }),
    });
    expect(await keep(platform.token)).toMatchObject({ place: 'file' });
  });

  it('keeps the token in the file where the library of the keychain is not installed, and says so', async () => {
    const tools = { run: async () => ({ exitCode: exitCodeOfMissingLibrary, stdout: '', stderr: '' }) };
    const platform = await startTeamPlatform();
    const keychain = createKeychain({ tools, variables: {}, system: 'darwin', processUrl: keychainProcessUrl });
    const { keep, told } = await personAt(platform, { keychain });
    expect(await keep(platform.token)).toMatchObject({ place: 'file' });
    expect(told.at(-1)).toContain('its library is not installed');
  });

  it('takes a token instead of a browser, and refuses one that the platform does not know', async () => {
    const platform = await startTeamPlatform();
    const { keep, connect } = await personAt(platform);
    await expect(keep('unknown')).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
    await expect(connect()).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    expect(await keep(platform.token)).toMatchObject({ email: ada });
    expect((await (await connect()).client.me()).user.email).toBe(ada);
  });

  it('says how to link a project whose commands talk to another platform', async () => {
    const platform = await startTeamPlatform();
    const { context, folder, told } = await personAt(platform);
    const elsewhere = { ...context, variables: {} };
    await login(elsewhere, { folder, serverUrl: platform.url, project: undefined, token: platform.token });
    expect(told).toContainEqual(expect.stringContaining(`vendor-cloud link --to ${platform.url}`));
    told.length = 0;
    await login(context, { folder, serverUrl: undefined, project: undefined, token: platform.token });
    expect(told.join()).not.toContain('link --to');
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

const hasKeychain = canRunKeychain();

describe.skipIf(hasKeychain !== true)(
  `vendor-cloud login on a session bus${hasKeychain === true ? '' : ` (skipped: ${hasKeychain})`}`,
  () => {
    it('keeps the token in the keychain of the system, gives it to commands, and removes it at the logout', async () => {
      const { keychain } = await systemKeychain(await temporaryFolder());
      const platform = await startTeamPlatform();
      const { context, folder, keep, connect } = await personAt(platform, { keychain });
      expect(await keep(platform.token)).toMatchObject({ place: 'keychain' });
      expect(await readFile(savedTokensFile(context), 'utf8')).not.toContain(platform.token);
      expect((await (await connect()).client.me()).user.email).toBe(ada);
      const place = platform.url;
      expect(await readKeychain(context, place)).toBe(platform.token);
      await logout(context, { folder, serverUrl: undefined });
      await expect(readKeychain(context, place)).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    });
  },
);

describe('vendor-cloud whoami', () => {
  it('names the person, where the token comes from and when it ends, and warns of the token that loses', async () => {
    const platform = await startTeamPlatform();
    const { context, folder, told, keep } = await personAt(platform);
    const who = { folder, serverUrl: undefined };
    await expect(whoAmI(context, who)).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    const { expiresAt } = await keep(platform.token);
    told.length = 0;
    expect(await whoAmI(context, who)).toMatchObject({
      serverUrl: platform.url,
      user: { email: ada },
      project: 'shop',
      environment: 'development',
      source: 'file',
      expiresAt,
      ignored: [],
    });
    expect(told).toEqual([]);
    await saveToken(context, platform.url, {
      project: 'shop',
      environment: '',
      email: bob,
      expiresAt: null,
      token: 'b',
    });
    const withVariable = { ...context, variables: { ...context.variables, SERVICE_AUTH_TOKEN: platform.token } };
    expect(await whoAmI(withVariable, who)).toMatchObject({
      user: { email: ada },
      source: 'variable',
      ignored: ['file'],
    });
    expect(told).toEqual([expect.stringMatching(/token of SERVICE_AUTH_TOKEN is used, and not that of the sign-in/)]);
  });

  it('tells of the token that wins although the keychain is locked', async () => {
    const { keychain } = await fakeKeychain(await temporaryFolder());
    const platform = await startTeamPlatform();
    const { context, folder, told, keep } = await personAt(platform, { keychain });
    await keep(platform.token);
    const locked: Keychain = {
      store: async () => 'refused',
      find: async () => undefined,
      remove: async () => undefined,
    };
    const variables = { ...context.variables, SERVICE_AUTH_TOKEN: platform.token };
    const who = { folder, serverUrl: undefined };
    expect(await whoAmI({ ...context, variables, keychain: locked }, who)).toMatchObject({ source: 'variable' });
    expect(told.at(-1)).toContain('it is locked');
    await expect(whoAmI({ ...context, keychain: locked }, who)).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    expect(await logout({ ...context, keychain: locked }, who)).toMatchObject({ place: 'keychain' });
  });

  it('says which token the platform does not accept', async () => {
    const platform = await startTeamPlatform();
    const { context, folder } = await personAt(platform);
    await writeFile(path.join(folder, '.env'), 'SERVICE_AUTH_TOKEN=revoked-long-ago\n');
    const error = await whoAmI(context, { folder, serverUrl: undefined }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'PLATFORM_UNAUTHENTICATED',
      message: expect.stringContaining('SERVICE_AUTH_TOKEN in .env'),
    });
    expect(String(error)).not.toContain('revoked-long-ago');
  });
});
