import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { examine } from '#flows/doctor/doctor';
import { saveToken } from '#flows/platform-access/platform-tokens';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { flowContext } from '../helpers/flow-context.ts';
import { freePort } from '../helpers/free-port.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

async function projectOn(uri: string, env: string) {
  const folder = await temporaryFolder();
  const database = await openSqlite(path.join(folder, 'pets.sqlite'));
  database.execute('create table pets (id integer primary key)');
  database.close();
  await writeFiles(folder, {
    'vendor-cloud.json': JSON.stringify({ name: 'pets', dataSources: { main: { uri } } }),
    'src/index.ts': 'export default () => undefined;',
    '.env': env,
  });
  return folder;
}

const statusOf = (checks: readonly { readonly name: string; readonly status: string }[]) =>
  Object.fromEntries(checks.map(({ name, status }) => [name, status]));

describe('vendor-cloud doctor', () => {
  it('works outside a project, where nothing is in the way', async () => {
    const folder = await temporaryFolder();
    const { checks, isHealthy } = await examine(flowContext(folder), { folder, bundle: undefined });
    expect(isHealthy).toBe(true);
    expect(statusOf(checks)).toMatchObject({ 'Node.js': 'ok', project: 'skipped', proxy: 'ok', platform: 'skipped' });
  });

  it('finds a healthy project with its database, its platform and its credentials', async () => {
    const platform = await startTeamPlatform();
    const env = `SERVICE_ENV_SECRET=${platform.envSecret}\nSERVICE_AUTH_TOKEN=${platform.token}\n`;
    const folder = await projectOn('sqlite:./pets.sqlite', env);
    const context = { ...flowContext(folder), variables: { SERVICE_SERVER_URL: platform.url } };
    const { checks, isHealthy } = await examine(context, { folder, bundle: undefined });
    expect(statusOf(checks)).toMatchObject({
      project: 'ok',
      'database main': 'ok',
      platform: 'ok',
      clock: 'ok',
      credentials: 'ok',
      'environment secret': 'ok',
    });
    expect(isHealthy).toBe(true);
  });

  it('counts the collections that the project serves, and names those whose records have no id', async () => {
    const folder = await projectOn('sqlite:./pets.sqlite', '');
    const database = await openSqlite(path.join(folder, 'pets.sqlite'));
    database.execute('create table logs (id integer primary key); create table jobs (id integer primary key)');
    database.close();
    const file = path.join(folder, 'vendor-cloud.json');
    const counted = async (selection: object) => {
      const main = { uri: 'sqlite:./pets.sqlite', ...selection };
      await writeFile(file, JSON.stringify({ name: 'shop', dataSources: { main } }));
      const { checks } = await examine(flowContext(folder), { folder, bundle: undefined });
      return checks.find(({ name }) => name === 'database main');
    };
    expect(await counted({})).toMatchObject({ message: 'It has 3 collections.' });
    expect(await counted({ exclude: ['logs'] })).toMatchObject({
      message: 'The project serves 2 of its 3 collections.',
    });
    expect(await counted({ exclude: ['nothing'] })).toMatchObject({ status: 'failed' });

    const more = await openSqlite(path.join(folder, 'pets.sqlite'));
    // Its columns take all names that the number of a row has.
    more.execute('create table bare (rowid text, _rowid_ text, oid text)');
    more.close();
    expect(await counted({})).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('Nothing tells the records of bare apart'),
    });
    expect(await counted({ exclude: ['bare'] })).toMatchObject({ status: 'ok' });
  });

  it('says what is in the way, each with what to do', async () => {
    const platform = await startTeamPlatform();
    const folder = await projectOn('sqlite:./absent.sqlite', 'SERVICE_AUTH_TOKEN=unknown\n');
    const hourAhead = { ...systemClock, now: () => Date.now() + 3_600_000 };
    const variables = {
      SERVICE_SERVER_URL: platform.url,
      HTTPS_PROXY: 'nonsense',
      NODE_EXTRA_CA_CERTS: path.join(folder, 'absent.pem'),
    };
    const context = { ...flowContext(folder), clock: hourAhead, variables };
    const { checks, isHealthy } = await examine(context, { folder, bundle: undefined });
    const failures = checks.filter(({ status }) => status === 'failed');
    expect(failures.map(({ name }) => name).sort()).toEqual([
      'certificates',
      'clock',
      'credentials',
      'database main',
      'proxy',
    ]);
    expect(failures.filter(({ nextSteps }) => nextSteps.length === 0)).toEqual([]);
    expect(failures.find(({ name }) => name === 'clock')?.message).toMatch(/360\d s ahead/);
    expect(isHealthy).toBe(false);
  });

  it.each([
    '',
    'These are notes about certificates.\n',
    '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
  ])('says that the file of NODE_EXTRA_CA_CERTS holds no certificate: %j', async (content) => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'company.pem');
    await writeFile(file, content);
    const context = { ...flowContext(folder), variables: { NODE_EXTRA_CA_CERTS: file } };
    const { checks, isHealthy } = await examine(context, { folder, bundle: undefined });
    expect(checks.find(({ name }) => name === 'certificates')).toMatchObject({
      status: 'failed',
      message: `NODE_EXTRA_CA_CERTS names ${file}, which holds no certificate.`,
      nextSteps: ['Correct NODE_EXTRA_CA_CERTS, or unset it.'],
    });
    expect(isHealthy).toBe(false);
  });

  it('says that NODE_EXTRA_CA_CERTS names what cannot be read, and goes on', async () => {
    const folder = await temporaryFolder();
    const context = { ...flowContext(folder), variables: { NODE_EXTRA_CA_CERTS: folder } };
    const { checks } = await examine(context, { folder, bundle: undefined });
    expect(checks.find(({ name }) => name === 'certificates')).toMatchObject({
      status: 'failed',
      message: `NODE_EXTRA_CA_CERTS: ${folder} cannot be read: it is a folder.`,
      nextSteps: ['Correct NODE_EXTRA_CA_CERTS, or unset it.'],
    });
    expect(statusOf(checks)).toMatchObject({ 'Node.js': 'ok', proxy: 'ok' });
  });

  it('says that a platform does not answer, and that something else does', async () => {
    const folder = await temporaryFolder();
    const context = {
      ...flowContext(folder),
      variables: { SERVICE_SERVER_URL: `http://127.0.0.1:${await freePort()}` },
    };
    const { checks } = await examine(context, { folder, bundle: undefined });
    expect(statusOf(checks)).toMatchObject({ platform: 'failed', clock: 'skipped', credentials: 'skipped' });
  });

  it('writes a support bundle for its owner only, and no secret into it', async () => {
    const platform = await startTeamPlatform();
    const secrets = {
      password: 'hunter2+/ä',
      typedPassword: 'in-the-file-99',
      other: 'sk_live_0123456789',
      saved: 'saved-token-0123456789',
    };
    const uri = 'postgres://app:${DATABASE_PASSWORD}@127.0.0.1:1/shop';
    const env = [
      `SERVICE_ENV_SECRET=${platform.envSecret}`,
      `DATABASE_PASSWORD=${encodeURIComponent(secrets.password)}`,
      `PAYMENT_API=${secrets.other}`,
    ];
    const folder = await projectOn('sqlite:./pets.sqlite', `${env.join('\n')}\n`);
    const dataSources = { main: { uri }, second: { uri: `postgres://app:${secrets.typedPassword}@127.0.0.1:1/shop` } };
    await writeFile(path.join(folder, 'vendor-cloud.json'), JSON.stringify({ name: 'pets', dataSources }));
    const proxy = 'http://me:proxy-password@127.0.0.1:1';
    const variables = {
      SERVICE_SERVER_URL: platform.url,
      SERVICE_AUTH_TOKEN: platform.token,
      NO_PROXY: '127.0.0.1',
      HTTPS_PROXY: proxy,
    };
    const context = { ...flowContext(folder), variables };
    const signIn = { project: 'shop', environment: 'development', email: 'ada@example.test', expiresAt: null };
    await saveToken(context, platform.url, { token: secrets.saved, ...signIn });

    const { bundle } = await examine(context, { folder, bundle: 'support.json' });
    const text = await readFile(path.join(folder, 'support.json'), 'utf8');
    expect(bundle).toBe(path.join(folder, 'support.json'));
    expect((await stat(bundle ?? '')).mode & 0o777).toBe(0o600);
    const all = [
      ...Object.values(secrets),
      encodeURIComponent(secrets.password),
      platform.token,
      platform.envSecret,
      'proxy-password',
    ];
    expect(all.filter((secret) => text.includes(secret))).toEqual([]);
    expect(JSON.parse(text)).toMatchObject({
      project: { config: { name: 'pets' }, envFileNames: ['SERVICE_ENV_SECRET', 'DATABASE_PASSWORD', 'PAYMENT_API'] },
      variablesSet: expect.arrayContaining(['SERVICE_AUTH_TOKEN', 'HTTPS_PROXY']),
    });
    const again = await examine(context, { folder, bundle: undefined });
    expect(again.checks.find(({ name }) => name === 'credentials')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('that of the variable counts, not file'),
    });
    await expect(examine(context, { folder, bundle: 'support.json' })).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  });
});
