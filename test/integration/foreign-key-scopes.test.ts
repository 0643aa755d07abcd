import path from 'node:path';
import { expect, it } from 'vitest';
import { check } from '#flows/check/check';
import { applyPermissions } from '#flows/permissions/change-permissions';
import { comparePermissions } from '#flows/permissions/list-permissions';
import { startDevSession } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { writeFiles } from '../helpers/write-files.ts';

const browsing = { collections: { '*': { browse: true, read: true } } };

/** Rights under which the team Operations sees the orders of one customer; `field` names the foreign key column. */
function rightsOver(field: string) {
  const condition = { field, operator: 'equal', value: 1 };
  const rule = { 'Add up': { trigger: { where: condition } } };
  const clerk = { collections: { orders: { browse: true, read: true, actions: rule } } };
  return {
    roles: { Administrators: browsing, clerk },
    teams: { Operations: { collections: { orders: { scope: condition } } } },
  };
}

it('a scope and a rule on a foreign key column are taken by dev, check, diff and apply alike, and hold', {
  tags: 'long',
}, async () => {
  const root = await createShopProject();
  const context = flowContext(root);
  const write = (field: string) => writeFiles(root, { 'permissions.json': JSON.stringify(rightsOver(field), null, 2) });
  await write('customer_id');
  const { ready, next, stop } = await startDevSession(root, 'role:clerk');
  const rowsAt = async (filters: string) => {
    const url = `${ready.agent.url}/orders?timezone=UTC&page[size]=100&fields[orders]=id&filters=${encodeURIComponent(filters)}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${ready.token}` } });
    return ((await response.json()) as { data: readonly { id: string }[] }).data.map(({ id }) => id);
  };
  const filter = JSON.stringify({ field: 'customer_id', operator: 'equal', value: 1 });
  const scoped = await rowsAt('');
  expect(scoped.length).toBeGreaterThan(0);
  expect(scoped).toEqual(await rowsAt(filter));

  const target = { folder: root, environment: undefined };
  const permissionsOf = async () => {
    const { steps } = await check(context, { folder: root, against: 'database' });
    return steps.find(({ name }) => name === 'permissions');
  };
  expect(await permissionsOf()).toMatchObject({ state: 'passed', warnings: [] });
  expect(await comparePermissions(context, target)).toMatchObject({ added: [], removed: [] });
  const confirm = async () => true;
  expect(await applyPermissions(context, { ...target, confirm, allowLockout: false })).toMatchObject({
    isApplied: true,
  });

  // A name that is wrong is refused by all of them, in the same words.
  await write('custommer_id');
  const refusal = {
    code: 'PERMISSION_FILE_INVALID',
    message: expect.stringContaining('"orders" has no field "custommer_id". Did you mean "customer_id"?'),
    location: expect.objectContaining({ file: path.join(root, 'permissions.json') }),
  };
  expect((await next('error')).error).toMatchObject(refusal);
  expect(await permissionsOf()).toMatchObject({ state: 'failed', problems: [refusal] });
  await expect(comparePermissions(context, target)).rejects.toMatchObject(refusal);
  await expect(applyPermissions(context, { ...target, confirm, allowLockout: false })).rejects.toMatchObject(refusal);
  await stop();
});
