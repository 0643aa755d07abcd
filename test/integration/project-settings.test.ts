import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectToLog } from '#flows/audit/connect-to-audit-log';
import { explainConfig } from '#flows/doctor/explain-config';
import { listEnvironments, useEnvironment } from '#flows/environments/choose-environment';
import { linkProject } from '#flows/environments/link-project';
import { connectToNotes } from '#flows/notes/manage-notes';
import { connectToPlatform } from '#flows/platform-access/connect-to-platform';
import { whoAmI } from '#flows/sign-in/who-am-i';
import { openProject } from '#project/index';
import { flowContext } from '../helpers/flow-context.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

async function projectWith(config: Readonly<Record<string, unknown>> = {}, env = ''): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'vendor-cloud.json': JSON.stringify({ name: 'pets', dataSources: {}, ...config }),
    'src/index.ts': '',
    '.env': env,
  });
  return folder;
}

describe('vendor-cloud config explain', () => {
  it('names the source that wins and those that lose', async () => {
    const folder = await projectWith(
      { serverUrl: 'https://file.example.com' },
      'SERVICE_SERVER_URL=https://env.example.com\n',
    );
    const context = flowContext(folder);
    const serverUrl = async (variables: Record<string, string>, flags: Record<string, string> = {}) =>
      (await explainConfig({ ...context, variables }, { folder, flags })).find(
        ({ name }) => name === 'SERVICE_SERVER_URL',
      );
    expect(await serverUrl({})).toEqual({
      name: 'SERVICE_SERVER_URL',
      value: 'https://env.example.com',
      source: '.env',
      overruled: ['vendor-cloud.json', 'default'],
    });
    const variables = { SERVICE_SERVER_URL: 'https://process.example.com' };
    expect(await serverUrl(variables)).toMatchObject({ source: 'variable', value: 'https://process.example.com' });
    const flags = { SERVICE_SERVER_URL: 'https://flag.example.com' };
    expect(await serverUrl(variables, flags)).toMatchObject({
      source: 'flag',
      overruled: ['variable', '.env', 'vendor-cloud.json', 'default'],
    });
  });

  it('tells a value of the file from a default, and shows no secret', async () => {
    const dataSources = { main: { uri: 'postgres://app:hunter2@db/shop' } };
    const folder = await projectWith({ dataSources, entry: 'src/index.ts' }, 'SERVICE_AUTH_TOKEN=secret-token\n');
    const variables = { HTTPS_PROXY: 'http://me:proxy-password@proxy:3128' };
    const settings = await explainConfig({ ...flowContext(folder), variables }, { folder, flags: {} });
    const of = (wanted: string) => settings.find(({ name }) => name === wanted);
    expect(of('entry')).toMatchObject({ source: 'vendor-cloud.json', value: 'src/index.ts' });
    expect(of('typings')).toMatchObject({ source: 'default', value: 'typings.d.ts' });
    expect(of('SERVICE_AUTH_TOKEN')).toMatchObject({ source: '.env', value: '[redacted]' });
    expect(of('SERVICE_HEC_TOKEN')).toMatchObject({ source: null, value: null });
    expect(of('dataSources.main.uri')).toMatchObject({ value: 'postgres://[redacted]@db/shop' });
    expect(JSON.stringify(settings)).not.toMatch(/hunter2|proxy-password|secret-token/);
  });
});

describe('vendor-cloud link and env', () => {
  it('make the commands of a folder talk to a platform and an environment, until the link is gone', async () => {
    const platform = await startTeamPlatform();
    const created = await platform.call('POST', '/api/environments', { name: 'staging', type: 'production' });
    expect(created.status).toBe(201);
    const folder = await projectWith({}, `SERVICE_AUTH_TOKEN=${platform.token}\n`);
    const context = flowContext(folder);
    const connect = async () => connectToPlatform(context, await openProject(context.fs, folder, context.variables));

    expect(await linkProject(context, { folder, change: undefined })).toMatchObject({ isLinked: false });
    expect(await linkProject(context, { folder, change: { serverUrl: platform.url } })).toMatchObject({
      name: 'pets',
      serverUrl: platform.url,
      environment: null,
      isLinked: true,
    });
    expect((await stat(path.join(folder, '.vendor-cloud/link.json'))).mode & 0o777).toBe(0o600);
    const { environments, current } = await listEnvironments(context, folder);
    expect([environments.map(({ name }) => name), current]).toEqual([['development', 'staging'], 'development']);

    await useEnvironment(context, { folder, name: 'staging' });
    expect((await listEnvironments(context, folder)).current).toBe('staging');
    expect((await (await connect()).client.me()).environment).toBe('staging');
    expect((await whoAmI(context, { folder, serverUrl: undefined })).environment).toBe('staging');
    expect((await connectToNotes(context, { folder, environment: undefined })).address.environment).toBe('staging');
    expect((await connectToLog(context, { folder, isAdmin: false })).log.environment).toBe('staging');
    const settings = await explainConfig(context, { folder, flags: {} });
    expect(settings.find(({ name }) => name === 'SERVICE_ENV')).toMatchObject({ value: 'staging', source: 'link' });
    await expect(useEnvironment(context, { folder, name: 'stagin' })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('"staging"'),
    });

    expect(await linkProject(context, { folder, change: 'none' })).toMatchObject({
      isLinked: false,
      environment: null,
    });
    await expect(readFile(path.join(folder, '.vendor-cloud/link.json'))).rejects.toThrow('ENOENT');
  });

  it('refuse the address of something that is not a platform, and keep the link as it was', async () => {
    const folder = await projectWith();
    const context = flowContext(folder);
    const change = { serverUrl: `http://127.0.0.1:${await freePort()}` };
    const nextSteps = ['Check the address after --to, and that the platform runs there.'];
    await expect(linkProject(context, { folder, change })).rejects.toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      nextSteps,
    });
    const { origin } = await startHttpServer((_request, response) => void response.end('{}'));
    const toOther = { folder, change: { serverUrl: origin } };
    await expect(linkProject(context, toOther)).rejects.toMatchObject({ code: 'PLATFORM_FAILED', nextSteps });
    expect(await linkProject(context, { folder, change: undefined })).toMatchObject({ isLinked: false });
  });
});
