import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { push } from '#flows/push/push';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { flowContext } from '../helpers/flow-context.ts';
import { freePort } from '../helpers/free-port.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

it('bootstrap on a database of your own keeps the platform that was named, once that answers', async () => {
  const platform = await startTeamPlatform();
  const folder = await temporaryFolder();
  (await openSqlite(path.join(folder, 'app.sqlite'))).close();
  const input = { directory: 'admin', template: 'blank', uri: 'sqlite:./app.sqlite' } as const;
  const absent = { ...input, serverUrl: `http://127.0.0.1:${await freePort()}` };
  await expect(bootstrap(flowContext(folder), absent)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
  const { path: root } = await bootstrap(flowContext(folder), { ...input, serverUrl: platform.url });
  const config = JSON.parse(await readFile(path.join(root, 'vendor-cloud.json'), 'utf8'));
  expect(config).toEqual({
    name: 'admin',
    serverUrl: platform.url,
    dataSources: { main: { uri: '${MAIN_DATABASE_URL}' } },
  });
});

it('bootstrap with the secret of an environment takes its databases from the platform', async () => {
  const platform = await startTeamPlatform();
  const folder = await temporaryFolder();
  const input = {
    directory: 'cloud-customizer',
    template: 'blank',
    envSecret: platform.envSecret,
    serverUrl: platform.url,
  } as const;
  const unknown = bootstrap(flowContext(folder), { ...input, envSecret: 'f'.repeat(64) });
  await expect(unknown).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
  await expect(bootstrap(flowContext(folder), input)).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: 'The environment "development" of "shop" has no database: no version is live there.',
    nextSteps: [expect.stringContaining('--uri'), expect.stringContaining('push')],
  });

  const shop = await createShopProject();
  const config = path.join(shop, 'vendor-cloud.json');
  const database = `sqlite:${path.join(shop, 'shop.sqlite')}`;
  await writeFile(config, (await readFile(config, 'utf8')).replace('sqlite:./shop.sqlite', '${SHOP_DATABASE}'));
  const variables = {
    SERVICE_SERVER_URL: platform.url,
    SERVICE_AUTH_TOKEN: platform.token,
    SHOP_DATABASE: database,
  };
  const target = { folder: shop, environment: undefined };
  await push({ ...flowContext(shop), variables }, { ...target, message: '', isDeployed: true });

  await expect(bootstrap(flowContext(folder), input)).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    nextSteps: [expect.stringContaining('SHOP_DATABASE=…')],
  });
  const context = { ...flowContext(folder), variables: { SHOP_DATABASE: database } };
  const result = await bootstrap(context, input);
  expect(result).toMatchObject({ name: 'shop', collections: 14, path: path.join(folder, 'cloud-customizer') });
  const written = JSON.parse(await readFile(path.join(result.path, 'vendor-cloud.json'), 'utf8'));
  expect(written).toMatchObject({ serverUrl: platform.url, dataSources: { main: { uri: '${SHOP_DATABASE}' } } });
  const env = path.join(result.path, '.env');
  expect(await readFile(env, 'utf8')).toContain(`SHOP_DATABASE='${database}'`);
  expect((await stat(env)).mode & 0o777).toBe(0o600);
  expect(await readFile(path.join(result.path, 'typings.d.ts'), 'utf8')).toContain('orders: {');
});
