import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PermissionController } from '#flows/local-platform/permission-controller';
import { loadOnce } from '#flows/project-agent/load-once';
import { openProject } from '#project/index';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

describe('the controller of permissions', () => {
  it('takes the schema from the worker again only where its hash is another', async () => {
    const root = await createShopProject();
    const context = flowContext(root);
    const write = (collection: string) =>
      writeFile(
        path.join(root, 'permissions.json'),
        JSON.stringify({ roles: { support: { collections: { [collection]: { browse: true } } } } }),
      );
    const { url, envSecret, token: userToken } = await startTeamPlatform();
    const project = await openProject(context.fs, root, context.variables);
    const controller = new PermissionController(context, project, { url, envSecret, userToken });
    await loadOnce(context, root, async ({ agent }) => {
      const given: boolean[] = [];
      const apply = () =>
        controller.apply(async (known) => {
          const schema = await agent.schema(known);
          given.push(schema !== null);
          return schema;
        });
      await write('orders');
      expect(await apply()).toMatchObject({ revision: 1 });
      expect(await apply()).toBeUndefined();
      await write('customers');
      expect(await apply()).toMatchObject({ revision: 2 });
      expect(given).toEqual([true, false, false]);
      // The names of the file are checked against the schema from before.
      await write('custmers');
      await expect(apply()).rejects.toMatchObject({
        code: 'PERMISSION_FILE_INVALID',
        message: expect.stringContaining('Did you mean "customers"?'),
      });
    });
  });
});
