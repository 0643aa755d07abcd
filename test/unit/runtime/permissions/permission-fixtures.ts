import type { EnvironmentPermissions, RenderingPermissions } from '#contracts/permissions';
import type { Clock } from '#kernel/ports/clock';
import type { Caller } from '#runtime/customizer/caller';
import { createAuthoriser } from '#runtime/permissions/create-authoriser';
import type { PermissionSource } from '#runtime/permissions/permission-documents';
import { createPermissionDocuments } from '#runtime/permissions/permission-documents';
import { unrestrictedPrograms } from '../../../helpers/role-platform.ts';

export const user = {
  id: 7,
  firstName: 'Ada',
  lastName: 'Lovelace',
  fullName: 'Ada Lovelace',
  email: 'ada@example.test',
  permissionLevel: 'user' as const,
  roleId: 4,
  tags: { country: 'FR' },
};

const names = { team: 'Ops', role: 'Ops', teams: ['Ops'], roles: ['Ops'] };
export const caller: Caller = { ...user, ...names, renderingId: 3, timezone: 'UTC', requestId: 'r' };

export const noRights = {
  browseEnabled: false,
  readEnabled: false,
  editEnabled: false,
  addEnabled: false,
  deleteEnabled: false,
  exportEnabled: false,
};

export const action = {
  triggerEnabled: { roles: [4] },
  triggerConditions: [],
  approvalRequired: false,
  approvalRequiredConditions: [],
  userApprovalEnabled: { roles: [9] },
  userApprovalConditions: [],
  selfApprovalEnabled: false,
};

export const permissions: Exclude<EnvironmentPermissions, true> = {
  collections: {
    orders: {
      collection: { ...noRights, browseEnabled: true, readEnabled: { roles: [4] }, editEnabled: { roles: [5] } },
      actions: { refund: action, pay: { ...action, triggerEnabled: false } },
    },
  },
};

export const renderingWith = (scope: unknown): RenderingPermissions => ({
  team: { id: 1, name: 'Operations' },
  collections: { orders: { scope, segments: [], liveQuerySegments: [] } },
  stats: [],
});

/** An authoriser on documents that a test can change, with a clock that it moves. */
export function setUp(change: Partial<PermissionSource> = {}) {
  const calls = { environment: 0, users: 0, rendering: 0 };
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs };
  const source: PermissionSource = {
    environmentPermissions: async () => {
      calls.environment++;
      return change.environmentPermissions ? change.environmentPermissions() : permissions;
    },
    users: async () => {
      calls.users++;
      return change.users ? change.users() : [user];
    },
    renderingPermissions: async (id) => {
      calls.rendering++;
      return change.renderingPermissions ? change.renderingPermissions(id) : renderingWith(null);
    },
    clientPermissions: change.clientPermissions ?? unrestrictedPrograms,
  };
  const advance = (ms: number) => {
    nowMs += ms;
  };
  const documents = createPermissionDocuments(source, clock);
  return { authoriser: createAuthoriser(documents), documents, calls, advance };
}
