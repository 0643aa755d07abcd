import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownSchemaSchema } from '#contracts/schema-document';
import { startDevSession } from '../helpers/dev-session.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

/** A shop whose developer, Ada, is signed in at the platform of a team, where support may browse orders only. */
async function teamProject() {
  const platform = await startTeamPlatform();
  const support = { collections: { orders: { browse: true, read: true } } };
  const people = { 'ada@example.test': { role: 'owner' }, 'bob@example.test': { role: 'support' } };
  const owner = { collections: { customers: { browse: true, read: true } } };
  // The platform has no schema yet that the names could be checked against.
  const rights = { document: { roles: { support, owner }, people }, base: 0, allowUnknown: true, allowLockout: true };
  expect(await platform.call('PUT', '/api/rights', rights)).toMatchObject({ status: 200 });
  await platform.join('bob@example.test', { role: 'support' });
  const root = await createShopProject();
  await writeEnv(root, platform.envSecret, platform.token);
  return { platform, root };
}

function writeEnv(root: string, envSecret: string, token: string): Promise<void> {
  return writeFile(path.join(root, '.env'), `SERVICE_ENV_SECRET=${envSecret}\nSERVICE_AUTH_TOKEN=${token}\n`);
}

type Ready = Awaited<ReturnType<typeof startDevSession>>['ready'];

async function statuses({ agent, token }: Ready) {
  const ask = async (collection: string) => {
    const url = `${agent.url}/${collection}?timezone=UTC&page[size]=1`;
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
  };
  return { customers: await ask('customers'), orders: await ask('orders') };
}

describe('dev on another platform', () => {
  it('serves the developer under the rights there, and changes none of them', async () => {
    const { platform, root } = await teamProject();
    const everything = { roles: { owner: { collections: { orders: { browse: true } } } } };
    await writeFile(path.join(root, 'permissions.json'), JSON.stringify(everything));
    const { ready } = await startDevSession(root, undefined, platform.url);
    expect(ready.sandbox).toEqual({ url: platform.url, isLocal: false });
    expect(ready.as).toBeNull();
    expect(await statuses(ready)).toEqual({ customers: 200, orders: 403 });
    expect((await platform.call('GET', '/api/rights')).body).toMatchObject({ revision: 1 });
    const session = await readFile(path.join(root, '.vendor-cloud/session.json'), 'utf8');
    expect(session).toContain(ready.agent.url);
    expect(session).not.toContain(platform.token);
  });

  it('serves another member under their rights, on the platform that the project names', async () => {
    const { platform, root } = await teamProject();
    const config = JSON.parse(await readFile(path.join(root, 'vendor-cloud.json'), 'utf8'));
    await writeFile(path.join(root, 'vendor-cloud.json'), JSON.stringify({ ...config, serverUrl: platform.url }));
    const { ready } = await startDevSession(root, 'Bob@example.test', null);
    expect(ready.as).toMatchObject({ email: 'bob@example.test', role: 'support' });
    expect(await statuses(ready)).toEqual({ customers: 403, orders: 200 });
  });

  it('tells the platform which origins pages may call for webhooks, also when only the settings change', async () => {
    const { platform, root } = await teamProject();
    const configFile = path.join(root, 'vendor-cloud.json');
    const config = JSON.parse(await readFile(configFile, 'utf8'));
    const known = async () => knownSchemaSchema.parse((await platform.call('GET', '/api/schema')).body).schema?.meta;
    const { next } = await startDevSession(root, undefined, platform.url);
    expect(await known()).not.toHaveProperty('webhook_origins');
    const webhookOrigins = ['https://hooks.example.com'];
    await writeFile(configFile, JSON.stringify({ ...config, rest: { webhookOrigins } }));
    await next('restarted');
    await expect.poll(async () => (await known())?.webhook_origins).toEqual(webhookOrigins);
  });

  it('starts nothing for a secret of production, without a platform, for a stranger or without credentials', async () => {
    const { platform, root } = await teamProject();
    const start = (as?: string, remote: string | null = platform.url) => startDevSession(root, as, remote);
    await expect(start('eve@example.test')).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('eve'),
    });
    await expect(start('role:support')).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('A role can only be served on the local platform'),
    });
    await expect(start(undefined, 'http://127.0.0.1:9')).rejects.toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      nextSteps: ['Check the address after --remote, and that the platform runs there.'],
    });
    await expect(start(undefined, null)).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      nextSteps: [expect.stringContaining('dev --remote'), expect.stringContaining('link --to')],
    });
    const { body } = await platform.call('POST', '/api/environments', { name: 'live', type: 'production' });
    await writeEnv(root, (body as { secret: string }).secret, platform.token);
    await expect(start()).rejects.toMatchObject({ code: 'PRODUCTION_KEY_REFUSED' });
    await writeFile(path.join(root, '.env'), '');
    await expect(start()).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
  });
});
