import { describe, expect, it } from 'vitest';
import { environmentPermissionsSchema } from '#contracts/permissions';
import type { SchemaDocument } from '#contracts/schema-document';
import { environmentPermissionsOf } from '#platform/rights/derive-permissions';
import { mergeOverrides } from '#sandbox/fixtures/merge-overrides';
import { overriddenPermissions } from '#sandbox/fixtures/overridden-permissions';
import { everyRight } from '#sandbox/fixtures/people-fixtures';
import { schemaCollection, schemaDocument } from '../../helpers/schema-document.ts';

const refund: SchemaDocument['collections'][number]['actions'][number] = {
  id: 'orders-0',
  name: 'Refund',
  type: 'single',
  baseUrl: null,
  endpoint: '/service/x',
  httpMethod: 'POST',
  redirect: null,
  download: false,
  fields: [],
  hooks: { load: false, change: [] },
};
const document = schemaDocument([schemaCollection('orders', { actions: [refund] }), schemaCollection('customers')]);

describe('overridden permissions', () => {
  it('allow the one role everything that was not overridden', () => {
    const filter = { field: 'status', operator: 'equal', value: 'paid' };
    const rights = environmentPermissionsOf(
      { roles: { testers: everyRight } },
      document.collections,
      new Map([['testers', 7]]),
    );
    const permissions = overriddenPermissions(
      rights as Exclude<typeof rights, true>,
      {
        orders: {
          collection: { deleteEnabled: false },
          actions: { Refund: { triggerConditions: filter, approvalRequired: true } },
        },
      },
      [7],
    );
    expect(environmentPermissionsSchema.parse(permissions)).toMatchObject({
      collections: {
        orders: {
          collection: { deleteEnabled: { roles: [] }, editEnabled: { roles: [7] } },
          actions: {
            Refund: {
              triggerEnabled: { roles: [7] },
              triggerConditions: [{ roleId: 7, filter }],
              approvalRequired: { roles: [7] },
            },
          },
        },
        customers: { collection: { deleteEnabled: { roles: [7] } } },
      },
    });
  });

  it('merge: a later one does not touch the others', () => {
    const merged = mergeOverrides(
      {
        orders: {
          collection: { readEnabled: false, editEnabled: false },
          actions: { Refund: { triggerEnabled: false } },
        },
      },
      {
        orders: { collection: { editEnabled: true }, actions: { Close: { triggerEnabled: false } } },
        customers: { collection: { addEnabled: false } },
      },
    );
    expect(merged).toEqual({
      orders: {
        collection: { readEnabled: false, editEnabled: true },
        actions: { Refund: { triggerEnabled: false }, Close: { triggerEnabled: false } },
      },
      customers: { collection: { addEnabled: false }, actions: {} },
    });
  });
});
