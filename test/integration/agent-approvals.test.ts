import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { environmentPermissionsSchema } from '#contracts/permissions';
import { cloudError } from '#kernel/errors/cloud-error';
import type { AgentPlatform } from '#runtime/agent/assemble/agent-platform';
import type { Agent } from '#runtime/index';
import { createMemoryPlatform } from '../helpers/activity-outbox.ts';
import {
  call,
  envSecret,
  type ShopAgent,
  type ShopAgentOptions,
  spendOnce,
  startShopAgent,
} from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const allRights = {
  browseEnabled: true,
  readEnabled: true,
  editEnabled: true,
  addEnabled: true,
  deleteEnabled: true,
  exportEnabled: true,
};

const paid = { field: 'status', operator: 'equal', value: 'paid', source: 'data' };
const french = { field: 'customer:country', operator: 'equal', value: 'FR' };
const draftsOnly = { field: 'status', operator: 'equal', value: 'draft' };

interface Setting {
  readonly rights?: object;
  readonly scope?: object | null;
  readonly spendApproval?: AgentPlatform['spendApproval'];
}

/** An agent with the action `Ship`, which says what it has shipped, in an environment where the caller has the role 1. */
function startShipping(
  { rights = {}, scope = null, spendApproval = spendOnce() }: Setting = {},
  options: ShopAgentOptions = {},
): Promise<ShopAgent> {
  const ship = { triggerEnabled: true, approvalRequired: false, userApprovalEnabled: { roles: [2] }, ...rights };
  const customize = (shop: Agent) => {
    shop.customizeCollection('orders', (orders) =>
      orders
        .addAction('Ship', {
          scope: 'Bulk',
          execute: async (context, result) =>
            result.success(JSON.stringify([await context.getRecordIds(), context.formValues])),
        })
        .addAction('Other', { scope: 'Bulk', execute: () => undefined }),
    );
  };
  const collections = { orders: { scope, segments: [], liveQuerySegments: [] } };
  const permissions = { orders: { collection: allRights, actions: { Ship: ship, Other: ship } } };
  return startShopAgent(customize, {
    ...options,
    platform: {
      spendApproval,
      environmentPermissions: async () => environmentPermissionsSchema.parse({ collections: permissions }),
      users: async () => [{ id: 7, roleId: 1, permissionLevel: 'user', tags: {} }] as never,
      renderingPermissions: async () => ({ team: { id: 1, name: 'Operations' }, collections, stats: [] }),
    },
  });
}

const path = '/_actions/orders/0/ship';
const ship = (agent: ShopAgent, attributes: object, target = path) =>
  call(agent, target, { method: 'POST', body: { data: { attributes } } });
const shipped = (ids: number[], values: object = {}) => ({ success: JSON.stringify([ids, values]) });
const refusal = (name: string, data?: object) => ({ errors: [{ name, status: 403, ...(data ? { data } : {}) }] });
const unusable = (name: string) => ({ errors: [{ name, status: 422 }] });
const onlyTwo = { roleIdsAllowedToApprove: [2] };

interface Signing {
  readonly secret?: string;
  readonly expiresInSeconds?: number | null;
  readonly algorithm?: string;
}

async function sign(
  attributes: object,
  { secret = envSecret, expiresInSeconds = 60, algorithm = 'HS256' }: Signing = {},
) {
  const jwt = new SignJWT({ data: { attributes } }).setProtectedHeader({ alg: algorithm });
  if (expiresInSeconds !== null) jwt.setExpirationTime(Math.floor(Date.now() / 1000) + expiresInSeconds);
  return jwt.sign(new TextEncoder().encode(secret));
}

const request = { collection_name: 'orders', smart_action_id: 'orders-0-ship', ids: ['1'], values: { a: 1 } };

describe('the conditions of an action', () => {
  it('hold for every record that is selected, or it is refused', async () => {
    const agent = await startShipping({ rights: { triggerConditions: [{ roleId: 1, filter: paid }] } });
    expect((await ship(agent, { ids: ['1', '4'] })).json).toMatchObject(shipped([1, 4]));
    const refused = await ship(agent, { ids: ['1', '2'] });
    expect(refused).toMatchObject({ status: 403, json: refusal('CustomActionTriggerForbiddenError') });
    const all = { all_records: true, all_records_ids_excluded: ['2'], all_records_subset_query: { search: 'A-' } };
    expect((await ship(agent, all)).status).toBe(403);
    expect((await ship(agent, { ...all, all_records_ids_excluded: ['2', '3'] })).json).toMatchObject(shipped([1, 4]));
  });

  it('may look behind relations, and look only at what the caller sees', async () => {
    const rights = { triggerConditions: [{ roleId: 1, filter: french }] };
    const agent = await startShipping({ rights, scope: draftsOnly });
    expect((await ship(agent, { ids: ['1', '2', '4'] })).json).toMatchObject(shipped([2]));
    expect((await ship(agent, { ids: ['2', '3'] })).status).toBe(403);
  });

  it('need no approval except for the records they name', async () => {
    const rights = { approvalRequired: true, approvalRequiredConditions: [{ roleId: 1, filter: paid }] };
    const agent = await startShipping({ rights });
    expect((await ship(agent, { ids: ['2', '3'] })).json).toMatchObject(shipped([2, 3]));
    const refused = await ship(agent, { ids: ['1', '2'] });
    expect(refused).toMatchObject({ status: 403, json: refusal('CustomActionRequiresApprovalError', onlyTwo) });
  });

  it.each([{ ...paid, field: 'nope' }, { ...paid, operator: 'greater_than' }, { ...paid, operator: 'nope' }, 'paid'])(
    'are refused where they cannot be verified: %j',
    async (filter) => {
      const agent = await startShipping({ rights: { triggerConditions: [{ roleId: 1, filter }] } });
      const { status, json } = await ship(agent, { ids: ['1'] });
      expect(status).toBe(422);
      expect(json).toMatchObject({ errors: [{ name: 'InvalidActionConditionError' }] });
    },
  );

  it('do not keep anybody from its form', async () => {
    const agent = await startShipping({
      rights: { approvalRequired: true, triggerConditions: [{ roleId: 1, filter: 'paid' }] },
    });
    expect((await ship(agent, { ids: ['1'] }, `${path}/hooks/load`)).status).toBe(200);
  });
});

describe('the roles that may approve an action', () => {
  const conditional = {
    approvalRequired: true,
    userApprovalEnabled: { roles: [2, 3] },
    userApprovalConditions: [{ roleId: 3, filter: { field: 'total', operator: 'equal', value: 20 } }],
  };
  const twoAndThree = { roleIdsAllowedToApprove: [2, 3] };

  it('depend on every selected record that the caller sees', async () => {
    const agent = await startShipping({ rights: conditional, scope: draftsOnly });
    const among = async (...ids: string[]) => (await ship(agent, { ids })).json;
    expect(await among('2')).toMatchObject(refusal('CustomActionRequiresApprovalError', twoAndThree));
    expect(await among('2', '3')).toMatchObject(refusal('CustomActionRequiresApprovalError', onlyTwo));
    expect(await among('1', '2')).toMatchObject(refusal('CustomActionRequiresApprovalError', twoAndThree));
  });

  it('spell out no value beyond the scope of the caller', async () => {
    const agent = await startShipping({ rights: conditional, scope: draftsOnly });
    const rolesFor = async (prefix: string) => {
      const conditions = [
        { field: 'id', operator: 'equal', value: 1 },
        { field: 'ref', operator: 'starts_with', value: prefix },
      ];
      const filters = JSON.stringify({ aggregator: 'and', conditions });
      const all = { all_records: true, all_records_ids_excluded: [], all_records_subset_query: { filters } };
      const { json } = await ship(agent, all);
      return (json as { errors: [{ data: object }] }).errors[0].data;
    };
    const told = await Promise.all(['A', 'B', 'A-', 'A-1', 'A-2'].map(rolesFor));
    expect(told).toEqual(told.map(() => twoAndThree));
  });

  it('are reported where everybody may', async () => {
    const agent = await startShipping({ rights: { approvalRequired: true, userApprovalEnabled: true } });
    const { json } = await ship(agent, { ids: ['1'] });
    expect(json).toMatchObject(refusal('CustomActionRequiresApprovalError', { roleIdsAllowedToApprove: [1] }));
  });
});

describe('an approved action', () => {
  const approver = { triggerEnabled: false, approvalRequired: true, userApprovalEnabled: { roles: [1] } };
  const approve = async (agent: ShopAgent, attributes: object, signing?: Signing, target?: string) =>
    ship(agent, { ids: ['3'], values: { b: 2 }, signed_approval_request: await sign(attributes, signing) }, target);

  it('runs what was signed, whatever else was sent', async () => {
    const agent = await startShipping({ rights: approver });
    const { status, json } = await approve(agent, { ...request, requester_id: 8 });
    expect(status).toBe(200);
    expect(json).toMatchObject(shipped([1], { a: 1 }));
  });

  it.each([7, '7'])(
    'needs the right to approve one’s own request where the approver asked for it: %j',
    async (requester_id) => {
      const agent = await startShipping({ rights: approver });
      const { json } = await approve(agent, { ...request, requester_id });
      expect(json).toMatchObject(refusal('ApprovalNotAllowedError', { roleIdsAllowedToApprove: [1] }));
      const selfish = await startShipping({ rights: { ...approver, selfApprovalEnabled: true } });
      expect((await approve(selfish, { ...request, requester_id })).status).toBe(200);
    },
  );

  it('needs a role that may approve these records', async () => {
    const agent = await startShipping({ rights: { ...approver, userApprovalEnabled: { roles: [2] } } });
    const { json } = await approve(agent, { ...request, requester_id: 8 });
    expect(json).toMatchObject(refusal('ApprovalNotAllowedError', onlyTwo));
    const userApprovalConditions = [{ roleId: 1, filter: draftsOnly }];
    const bound = await startShipping({ rights: { ...approver, userApprovalConditions } });
    expect((await approve(bound, { ...request, requester_id: 8 })).status).toBe(403);
    expect((await approve(bound, { ...request, ids: ['2'], requester_id: 8 })).status).toBe(200);
  });

  it('is triggered like any other action when it names no requester', async () => {
    const agent = await startShipping({ rights: approver });
    expect((await approve(agent, request)).json).toMatchObject(refusal('CustomActionTriggerForbiddenError'));
  });

  it.each<[string, string, object, Signing, string?]>([
    ['is past its end', 'ApprovalRequestExpiredError', {}, { expiresInSeconds: -1 }],
    ['has no end', 'ApprovalRequestInvalidError', {}, { expiresInSeconds: null }],
    ['is signed with another secret', 'ApprovalRequestInvalidError', {}, { secret: 'f'.repeat(64) }],
    ['is signed in another way', 'ApprovalRequestInvalidError', {}, { algorithm: 'HS512' }],
    ['is for another collection', 'ApprovalRequestInvalidError', { collection_name: 'customers' }, {}],
    ['is for another action', 'ApprovalRequestInvalidError', {}, {}, '/_actions/orders/1/other'],
    ['names nobody who asked', 'ApprovalRequestInvalidError', { requester_id: 'me' }, {}],
  ])('is refused when the signed request %s', async (_how, name, change, signing, target) => {
    const agent = await startShipping({ rights: approver });
    const { status, json } = await approve(agent, { ...request, requester_id: 8, ...change }, signing, target);
    expect(status).toBe(422);
    expect(json).toMatchObject(unusable(name));
  });

  it.each(['a.b.c', 7, {}, ['x']])('is refused for something that was never signed: %j', async (token) => {
    const agent = await startShipping({ rights: approver });
    const { json } = await ship(agent, { ids: ['1'], signed_approval_request: token });
    expect(json).toMatchObject(unusable('ApprovalRequestInvalidError'));
  });

  it('runs once, however its signature is spelt', async () => {
    const agent = await startShipping({ rights: approver });
    const token = await sign({ ...request, requester_id: 8 });
    expect((await ship(agent, { signed_approval_request: token })).status).toBe(200);
    expect((await ship(agent, { signed_approval_request: token })).json).toMatchObject(
      unusable('ApprovalRequestInvalidError'),
    );
    // The last of the 43 characters of a signature holds two bits that mean nothing.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(token.at(-1) ?? '') ^ 1];
    expect((await ship(agent, { signed_approval_request: `${token.slice(0, -1)}${last}` })).status).toBe(422);
  });

  it('runs once in all agents of an environment, one after the other or at the same time', async () => {
    const setting = { rights: approver, spendApproval: spendOnce() };
    const agents = await Promise.all([startShipping(setting), startShipping(setting)]);
    const first = { signed_approval_request: await sign({ ...request, requester_id: 8 }) };
    const answers = await Promise.all(agents.map((agent) => ship(agent, first)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    await agents[0]?.runtime.stop(0);
    const restarted = await startShipping(setting);
    expect((await ship(restarted, first)).json).toMatchObject(unusable('ApprovalRequestInvalidError'));
  });

  it('does not run while the platform cannot be asked, and stays good', async () => {
    const platform = { isAway: true };
    const spend = spendOnce();
    const spendApproval: AgentPlatform['spendApproval'] = async (spending) => {
      if (!platform.isAway) return spend(spending);
      throw cloudError('PLATFORM_UNREACHABLE', 'down', 'wait');
    };
    const agent = await startShipping({ rights: approver, spendApproval });
    const approved = { signed_approval_request: await sign({ ...request, requester_id: 8 }) };
    const refused = await ship(agent, approved);
    expect(refused).toMatchObject({ status: 503, json: { errors: [{ code: 'ACTION_APPROVAL_UNCONFIRMED' }] } });
    expect((await ship(agent, { ids: ['1'] })).status).toBe(403);
    platform.isAway = false;
    expect((await ship(agent, approved)).status).toBe(200);
  });

  it('is not spent by a run that was refused', async () => {
    const agent = await startShipping({ rights: approver });
    const token = await sign({ ...request, requester_id: 8 });
    const elsewhere = await ship(agent, { signed_approval_request: token }, '/_actions/orders/1/other');
    expect(elsewhere.status).toBe(422);
    expect((await ship(agent, { signed_approval_request: token })).status).toBe(200);
  });

  it('is reported with the records that were signed, whatever else was sent and however it ends', async () => {
    const platform = createMemoryPlatform();
    const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
    const agent = await startShipping({ rights: approver }, { activity });
    expect((await approve(agent, { ...request, requester_id: 8 })).status).toBe(200);
    expect((await approve(agent, { ...request, requester_id: 7 })).status).toBe(403);
    expect((await approve(agent, request, { secret: 'f'.repeat(64) })).status).toBe(422);
    await agent.runtime.stop(5_000);
    expect(platform.stored.map(({ recordIds, status }) => ({ recordIds, status }))).toEqual([
      { recordIds: ['1'], status: 'completed' },
      { recordIds: ['1'], status: 'failed' },
      { recordIds: [], status: 'failed' },
    ]);
  });

  it('names who asked for it inside of the signed request only', async () => {
    const agent = await startShipping({ rights: approver });
    const { status, json } = await ship(agent, { ids: ['1'], requester_id: 8 });
    expect(status).toBe(422);
    expect(json).toMatchObject({ errors: [{ name: 'UnprocessableError' }] });
  });
});
