import { describe, expect, it } from 'vitest';
import type { FileApproval, OpenedApproval } from '#contracts/approvals';
import { environmentPermissionsSchema } from '#contracts/permissions';
import type { Agent } from '#runtime/index';
import { type McpAnswer, mcpCall } from '../helpers/mcp-call.ts';
import { connectMcp } from '../helpers/mcp-client.ts';
import { call, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const allRights = { browseEnabled: true, readEnabled: true, editEnabled: true };
const askerId = 9;
const request: OpenedApproval = {
  ...{ id: 4, state: 'asked', personId: askerId, client: null, collection: 'orders', action: 'Ship' },
  lapsesAt: '2030-01-01T00:00:00.000Z',
  content: {
    recordIds: ['1'],
    values: { Carrier: 'Sea' },
    shown: [{ id: '1', values: { ref: 'A-1' } }],
    timezone: 'UTC',
  },
};

/** An agent whose caller asks and grants. Its platform has one request, and keeps what is filed. */
async function startShipping(
  opened: Partial<OpenedApproval> = {},
  isMember = true,
  triggerEnabled = true,
  keepsResult = true,
) {
  const filed: FileApproval[] = [];
  const told: unknown[] = [];
  const runs: unknown[] = [];
  const state = {
    state: 'asked',
    lapsesAt: request.lapsesAt,
    url: 'https://platform.test/console/test/approvals/4',
  } as const;
  const ship = { triggerEnabled, approvalRequired: true, userApprovalEnabled: true };
  const permissions = { orders: { collection: allRights, actions: { Ship: ship } } };
  const collections = { orders: { scope: null, segments: [], liveQuerySegments: [] } };
  const agent = await startShopAgent(
    (shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addAction('Ship', {
          scope: 'Bulk',
          form: [{ type: 'Enum', label: 'Carrier', enumValues: ['Sea', 'Rail'] }],
          execute: async ({ caller, formValues }) => void runs.push([caller.id, formValues['Carrier']]),
        }),
      ),
    {
      platform: {
        environmentPermissions: async () => environmentPermissionsSchema.parse({ collections: permissions }),
        users: async () => [7, askerId].map((id) => ({ id, roleId: 1, permissionLevel: 'user', tags: {} })) as never,
        renderingPermissions: async () => ({ team: { id: 1, name: 'Operations' }, collections, stats: [] }),
        person: async (id) => (isMember ? { ...identity, id } : undefined),
        approvalRequests: {
          file: async (input) => {
            filed.push(input);
            return { id: 4, ...state };
          },
          tellApprovers: async () => undefined,
          open: async (id) => (id === 4 ? { ...request, ...opened } : undefined),
          grant: async () => ({ id: 4, ...state, keepsResult }),
          end: async (_id, { runId: _run, ...end }) => void told.push(end),
        },
      },
    },
  );
  const grant = () => call(agent, '/_internal/approvals/4/grant', { method: 'POST', body: {} });
  return { agent, filed, runs, told, grant };
}

it.each([
  ['whose action a deployment has removed', { action: 'Send' }, true, 'there is no action "Send" of "orders" any more'],
  ['whose collection is gone', { collection: 'parcels' }, true, 'there is no action "Ship" of "parcels" any more'],
  [
    'with a form value that is not allowed any more',
    { content: { ...request.content, values: { Carrier: 'Air' } } as NonNullable<OpenedApproval['content']> },
    true,
    'it does not fit the action any more. The field "Carrier" of the form must be one of "Sea", "Rail"',
  ],
  ['of somebody who has left', {}, false, 'who asked is not a member of the project any more'],
])('a request %s is refused by name', async (_what, opened, isMember, reason) => {
  const { grant, runs } = await startShipping(opened, isMember);
  const { status, json } = await grant();
  expect([status, (json as { errors: { detail: string }[] }).errors[0]?.detail]).toEqual([
    409,
    expect.stringContaining(reason),
  ]);
  expect(runs).toEqual([]);
});

it('a request is granted by somebody else, and the platform hears how the action ended', async () => {
  const { grant, runs, told } = await startShipping();
  expect((await grant()).status).toBe(200);
  expect([runs, told]).toEqual([[[askerId, 'Sea']], [{ outcome: 'succeeded', result: { type: 'success' } }]]);
});

it('a platform of an older version learns about the outcome only', async () => {
  const { grant, told } = await startShipping({}, true, true, false);
  expect((await grant()).status).toBe(200);
  expect(told).toEqual([{ outcome: 'succeeded' }]);
});

it('an assistant asks for an approval once the person confirms it, runs nothing and grants nothing', async () => {
  const { agent, filed, runs } = await startShipping();
  const ship = (more: object): Promise<McpAnswer> =>
    mcpCall(agent, 'executeAction', {
      collectionName: 'orders',
      actionName: 'Ship',
      recordIds: [1],
      values: { Carrier: 'Sea' },
      ...more,
    });
  expect((await ship({})).result.structuredContent).toMatchObject({ status: 'approval_required' });
  const asked = { askForApproval: 'They wait since Monday.' };
  const question = (await ship(asked)).result.structuredContent;
  expect(question).toMatchObject({
    status: 'confirmation_required',
    message: expect.stringContaining('Ask for an approval'),
  });
  expect(filed).toEqual([]);
  const done = await ship({ ...asked, confirmationToken: question['confirmationToken'] });
  expect(done.result.structuredContent).toMatchObject({ status: 'approval_requested', id: 4, state: 'asked' });
  expect(filed).toMatchObject([
    {
      personId: 7,
      action: 'Ship',
      comment: 'They wait since Monday.',
      content: { recordIds: ['1'], values: { Carrier: 'Sea' } },
    },
  ]);
  expect(runs).toEqual([]);
  expect(await grantAs(agent)).toBe(401);
});

describe('an assistant that comes back with the id of its request', () => {
  it('hears what the action has answered, as words of code', async () => {
    const result = { type: 'file', fileName: 'slip.csv' } as const;
    const stands = { ...own, state: 'granted', outcome: 'succeeded', result, decidedBy: 'Cara K' } as const;
    const { agent } = await startShipping(stands);
    const { structuredContent } = (await mcpCall(agent, 'executeAction', args)).result;
    expect(structuredContent).toMatchObject({ status: 'approval_requested', result, fileIsWith: 'Cara K' });
  });

  // The token of the test was given to no client by name.
  const own = { personId: identity.id, client: { id: '', name: '' }, outcome: null } as const;
  const args = { collectionName: 'orders', actionName: 'Ship', askForApproval: 4 };

  it.each([
    [{ state: 'asked' }, 'A person has to grant the request. Nothing has run yet.'],
    [{ state: 'granted', outcome: 'succeeded' }, 'The request was granted, and the action has run.'],
    [{ state: 'granted', outcome: 'failed' }, 'The request was granted, and the action has failed.'],
    [{ state: 'granted' }, 'The request was granted. How the action ended is not known.'],
    [{ state: 'refused' }, 'The request was refused. Nothing has run.'],
    [{ state: 'withdrawn' }, 'The request was withdrawn. Nothing has run.'],
    [{ state: 'lapsed' }, 'Nobody has answered the request in time. Nothing has run.'],
  ] as const)('learns how it stands without a word of its person, and runs nothing: %o', async (stands, message) => {
    const { agent, filed, runs } = await startShipping({ ...own, ...stands });
    const expected = {
      ...{ status: 'approval_requested', id: 4, lapsesAt: request.lapsesAt, ...stands },
      message: expect.stringContaining(message),
    };
    expect((await mcpCall(agent, 'executeAction', args)).result.structuredContent).toEqual(expected);
    // A client of the revision before has no other way.
    const client = await connectMcp(agent);
    expect((await client.callTool({ name: 'executeAction', arguments: args })).structuredContent).toEqual(expected);
    expect([filed, runs]).toEqual([[], []]);
  });

  it.each([
    ['of somebody else', { personId: askerId }, 'REQUEST_NOT_FOUND'],
    ['of another program', { client: { id: 'other', name: 'Other' } }, 'REQUEST_NOT_FOUND'],
    ['that the person has made without a program', { client: null }, 'REQUEST_NOT_FOUND'],
    ['for another action', { action: 'Send' }, 'REQUEST_NOT_FOUND'],
    ['for an action that its person may not run any more', {}, 'REQUEST_FORBIDDEN', true],
  ] as const)('learns nothing about one %s', async (_which, opened, code, isForbidden: boolean = false) => {
    const { agent } = await startShipping({ ...own, ...opened }, true, !isForbidden);
    const { result } = await mcpCall(agent, 'executeAction', args);
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).toContain(code);
    expect(JSON.stringify(result)).not.toContain('asked');
  });
});

/** The REST API does not take the token of an assistant. */
async function grantAs({ mcpToken, ...agent }: ShopAgent): Promise<number> {
  const answer = await call({ ...agent, token: mcpToken }, '/_internal/approvals/4/grant', {
    method: 'POST',
    body: {},
  });
  return answer.status;
}
