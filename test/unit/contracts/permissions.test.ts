import { describe, expect, it } from 'vitest';
import { environmentPermissionsSchema } from '#contracts/permissions';

const parse = (collection: unknown) => {
  const parsed = environmentPermissionsSchema.parse({ collections: { orders: collection } });
  return parsed === true ? undefined : parsed.collections['orders'];
};

describe('the permission document of an environment', () => {
  it('closes what it does not state, and nothing else', () => {
    expect(parse({ collection: { browseEnabled: true, unknownEnabled: true } })).toEqual({
      collection: {
        browseEnabled: true,
        readEnabled: false,
        editEnabled: false,
        addEnabled: false,
        deleteEnabled: false,
        exportEnabled: false,
      },
      actions: {},
    });
  });

  it('takes an approval for required where it does not say', () => {
    expect(
      parse({ collection: {}, actions: { ship: { triggerEnabled: { roles: ['3', 5] } } } })?.actions['ship'],
    ).toEqual({
      triggerEnabled: { roles: [3, 5] },
      triggerConditions: [],
      approvalRequired: true,
      approvalRequiredConditions: [],
      userApprovalEnabled: false,
      userApprovalConditions: [],
      selfApprovalEnabled: false,
    });
  });

  it.each([{ browseEnabled: 'yes' }, { browseEnabled: { roles: ['admin'] } }, { browseEnabled: { roles: 3 } }])(
    'is refused where it states something that is not a right: %j',
    (collection) => {
      expect(environmentPermissionsSchema.safeParse({ collections: { orders: { collection } } }).success).toBe(false);
    },
  );
});
