import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { checkTypingsOfRole, updateTypingsOfRole } from '#flows/schema/update-typings';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { writeFiles } from '../helpers/write-files.ts';

const looking = { browse: true, read: true };
const everything = { ...looking, edit: true, add: true, delete: true, export: true };

it('the types of a role have what it sees, and say what it does not write', { tags: 'long' }, async () => {
  const root = await createShopProject();
  const fields = { email: { read: 'email' }, phone: { write: false }, '*': false };
  const roles = {
    Administrators: { collections: { '*': everything } },
    'Support desk': { collections: { customers: { ...everything, fields }, orders: looking } },
  };
  await writeFiles(root, { 'permissions.json': JSON.stringify({ roles }) });
  const context = flowContext(root);
  const input = {
    folder: root,
    role: 'Support desk',
    developer: { name: 'Test Developer', email: 'developer@test.local' },
    signal: new AbortController().signal,
  };
  const before = await readFile(path.join(root, 'typings.d.ts'), 'utf8');
  const file = path.join(root, 'typings.support-desk.d.ts');
  expect(await updateTypingsOfRole(context, input)).toMatchObject({ path: file, hasChanged: true, collections: 2 });
  const text = await readFile(file, 'utf8');
  expect(text.slice(text.indexOf('  customers: {'))).toMatchInlineSnapshot(`
    "  customers: {
        fields: {
          readonly email: string;
          id: number;
          readonly phone: string | null;
        };
        relations: {
          orders: 'orders'[];
        };
      };
      orders: {
        fields: {
          readonly coupon_code: string | null;
          readonly currency: string;
          readonly customer_id: number;
          readonly daysToShip: number | null;
          readonly id: number;
          readonly note: string | null;
          readonly ordered_at: DateText;
          readonly reference: string;
          readonly shipped_at: DateText | null;
          readonly shipping_address_id: number | null;
          readonly status: 'cancelled' | 'delivered' | 'paid' | 'pending' | 'shipped';
          readonly total: NumberText;
        };
        relations: {
          customer: 'customers';
        };
      };
    }
    "
  `);
  expect(await readFile(path.join(root, 'typings.d.ts'), 'utf8')).toBe(before);
  expect(await checkTypingsOfRole(context, input)).toMatchObject({
    isCurrent: true,
    changes: [],
    role: 'Support desk',
  });

  const open = { ...roles, 'Support desk': { collections: { customers: everything, orders: looking } } };
  await writeFiles(root, { 'permissions.json': JSON.stringify({ roles: open }) });
  const { isCurrent, changes } = await checkTypingsOfRole(context, input);
  expect(isCurrent).toBe(false);
  expect(JSON.stringify(changes)).toContain('email');
  await expect(updateTypingsOfRole(context, { ...input, role: 'Suport desk' })).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: expect.stringContaining('Did you mean "Support desk"?'),
  });
});
