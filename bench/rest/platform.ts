import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const collections = ['customers', 'addresses', 'products', 'orders', 'order_items', 'reviews'];
const roleId = 2;
/** The role that has ten rules for fields beside the same rights. */
const restrictedRoleId = 3;
const right = { roles: [1, roleId, restrictedRoleId] };
const conditionForAll = { field: 'id', operator: 'greater_than', value: 0 };

const rule = (read: boolean | string, filter: boolean, write: boolean) => [
  { roles: [restrictedRoleId], read, filter, write },
];
/** Two that hide, two that mask, and six that take a right away. */
const fields: Readonly<Record<string, object>> = {
  customers: {
    email: rule('email', false, false),
    birth_date: rule(false, false, false),
    last_name: rule(true, false, true),
    country: rule(true, true, false),
    balance: rule(true, false, false),
  },
  orders: { notes: rule(false, false, false), total: rule(true, true, false) },
  addresses: { street: rule('last4', false, false), zip: rule(true, false, true) },
  reviews: { body: rule(true, true, false) },
};

const environment = {
  collections: Object.fromEntries(
    collections.map((name) => [
      name,
      {
        collection: {
          browseEnabled: right,
          readEnabled: right,
          editEnabled: right,
          addEnabled: right,
          deleteEnabled: right,
          exportEnabled: right,
        },
        actions: {},
        fields: fields[name],
      },
    ]),
  ),
};
/** Another one of the same role. */
export const stranger = { id: 8, email: 'mallory@example.test', firstName: 'Mallory', lastName: 'Unknown' };
/** Somebody with the other role. */
export const restricted = { id: 9, email: 'bob@example.test', firstName: 'Bob', lastName: 'Restricted' };
const users = [
  {
    id: 7,
    firstName: 'Ada',
    lastName: 'Lovelace',
    fullName: 'Ada Lovelace',
    email: 'ada@example.test',
    permissionLevel: 'user',
    roleId,
    tags: {},
  },
  { ...stranger, fullName: 'Mallory Unknown', permissionLevel: 'user', roleId, tags: {} },
  { ...restricted, fullName: 'Bob Restricted', permissionLevel: 'user', roleId: restrictedRoleId, tags: {} },
];
const rendering = {
  team: { id: 1, name: 'Operations' },
  collections: Object.fromEntries(
    collections.map((name) => [
      name,
      // A scope that leaves every record: the answers can be compared, and it has to be asked for.
      { scope: name === 'orders' ? conditionForAll : null, segments: [], liveQuerySegments: [] },
    ]),
  ),
  stats: [],
};

const answers: readonly (readonly [string, unknown])[] = [
  ['/agent/v4/permissions/environment', environment],
  ['/agent/v4/permissions/users', users],
  ['/agent/v4/permissions/renderings/', rendering],
  ['/service/apimaps/hashcheck', { sendSchema: false }],
];

/**
 * A platform with two roles that are not an administrator's, and a scope on the orders.
 *
 * @param record Gets the body of each report of activities, which else nobody keeps.
 */
export async function startPlatform(
  record: (body: Buffer) => Promise<void> = async () => {},
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url === '/agent/v1/activities') {
      void buffer(request)
        .then(record)
        .then(
          () => response.writeHead(204).end(),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
      return;
    }
    const found = answers.find(([path]) => request.url?.startsWith(path));
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ? found[1] : {}));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
