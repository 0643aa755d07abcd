import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { coreValueSchemas } from '#contracts/audit/admin-values';
import { invitationsSchema, peopleSchema } from '#contracts/people';
import { sha256Hex } from '#node/system/digest';
import { clientAddress, password, platformCalls } from '../helpers/platform-calls.ts';
import { followAdminLog } from '../helpers/read-admin-log.ts';
import { useStoreEngines } from '../helpers/store-engines.ts';
import { setUp, startTeamPlatform } from '../helpers/team-server.ts';

const bob = 'bob@example.test';
const support = {
  roles: { Administrators: { collections: { '*': { browse: true } } }, support: { collections: {} } },
  teams: { Operations: {}, Support: {} },
};

/** What a row says, in short: type, resource, who did it. */
type Row = readonly [string, string, ('ada' | 'bob' | 'platform')?];

interface Step {
  readonly name: string;
  /** Resolves to the status of the answer. */
  run(): Promise<number>;
  readonly status: number;
  readonly rows: readonly Row[];
}

it.each(useStoreEngines())(
  'every change of the configuration is logged once, on $engine',
  async ({ newPlace }) => {
    const place = await newPlace();
    const platform = await startTeamPlatform(
      { trustedProxies: ['127.0.0.1'] },
      {
        store: place,
        platformKey: 'a'.repeat(64),
        checkDeployment: async (_program, code) => {
          if (Buffer.from(code).toString().includes('broken')) throw new Error('The code throws hunter2.');
        },
      },
    );
    const { call, invite, push, login } = platformCalls(platform.url);
    const newRows = await followAdminLog(place);
    const logged: string[] = [];
    const secrets: string[] = ['hunter2', 'first value', password];
    const keep = (secret: string) => {
      secrets.push(secret, sha256Hex(secret));
      return secret;
    };

    const made = await setUp(platform);
    const ada = keep(made.userToken);
    for (const { secret } of made.environments) keep(secret);
    const adaId = made.user.id;
    let bobId = 0;
    let bobToken = '';
    let link = '';
    let apiToken = '';
    const tokenPath = `/api/projects/${made.project.name}/tokens`;
    const status = async (answer: Promise<{ readonly status: number }>) => (await answer).status;
    const adas = (method: string, path: string, body?: unknown) => status(call(ada, method, path, body));
    const deploy = async (target: object, isAwaited = true) => {
      const { body } = await call(ada, 'GET', '/api/deployments');
      const answer = await call(ada, 'POST', '/api/deployments', {
        target,
        base: body['live'],
        idempotencyKey: randomUUID(),
      });
      if (isAwaited) {
        await expect
          .poll(async () => (await call(ada, 'GET', `/api/deployments/${answer.body['number']}`)).body['state'])
          .toMatch(/live|failed/);
      }
      return answer.status;
    };
    const addresses = ['https://admin.example.test/service'];

    const steps: readonly Step[] = [
      {
        name: 'set rights',
        run: () => adas('PUT', '/api/rights', { document: { ...support, ipRules: ['10.0.0.1'] }, base: 0 }),
        status: 200,
        rows: [
          ['add', 'rights'],
          ['update', 'ip-rules'],
          ['add', 'role'],
          ['add', 'team'],
        ],
      },
      {
        name: 'set the same rights',
        run: () => adas('PUT', '/api/rights', { document: { ...support, ipRules: ['10.0.0.1'] }, base: 1 }),
        status: 200,
        rows: [],
      },
      {
        name: 'invite',
        run: async () => {
          link = keep(await invite(ada, bob, 'Support'));
          return 201;
        },
        status: 201,
        rows: [['add', 'invitation']],
      },
      {
        name: 'invite again',
        run: async () => {
          link = keep(await invite(ada, bob, 'Support'));
          return 201;
        },
        status: 201,
        rows: [
          ['remove', 'invitation'],
          ['add', 'invitation'],
        ],
      },
      {
        name: 'accept under half a character',
        run: () =>
          status(
            call(null, 'POST', '/api/invitations/accept', {
              secret: link,
              firstName: '\uD800',
              lastName: 'B',
              password,
            }),
          ),
        status: 400,
        rows: [],
      },
      {
        name: 'set rights with a name that PostgreSQL does not take',
        run: () => adas('PUT', '/api/rights', { document: { roles: { 'a\0': { collections: {} } } }, base: 1 }),
        status: 422,
        rows: [],
      },
      {
        name: 'accept',
        run: async () => {
          const person = { firstName: 'Bob\n=1\u2028\u202E', lastName: 'Builder', password };
          const accepted = await call(null, 'POST', '/api/invitations/accept', { secret: link, ...person });
          const { body } = await call(ada, 'GET', '/api/people');
          const { people } = peopleSchema.parse(body);
          bobId = people.find(({ email }) => email === bob)?.id ?? 0;
          return accepted.status;
        },
        status: 204,
        rows: [
          ['update', 'invitation', 'bob'],
          ['add', 'user-project', 'bob'],
          ['add', 'password', 'bob'],
        ],
      },
      {
        name: 'accept again',
        run: () =>
          status(
            call(null, 'POST', '/api/invitations/accept', { secret: link, firstName: 'B', lastName: 'B', password }),
          ),
        status: 409,
        rows: [],
      },
      {
        name: 'change a person',
        run: () => adas('PATCH', `/api/people/${bobId}`, { level: 'editor', team: 'Operations' }),
        status: 200,
        rows: [['update', 'user-project']],
      },
      {
        name: 'change nothing of a person',
        run: () => adas('PATCH', `/api/people/${bobId}`, { level: 'editor' }),
        status: 200,
        rows: [],
      },
      {
        name: 'deactivate the last administrator',
        run: () => adas('PATCH', `/api/people/${adaId}`, { isActive: false }),
        status: 409,
        rows: [],
      },
      {
        name: 'log in',
        run: async () => {
          bobToken = keep(await login());
          return 201;
        },
        status: 201,
        rows: [
          ['add', 'sign-in-key', 'platform'],
          ['add', 'access-token', 'bob'],
        ],
      },
      {
        name: 'manage people without the right to',
        run: () => status(call(bobToken, 'PATCH', `/api/people/${adaId}`, { level: 'user' })),
        status: 403,
        rows: [],
      },
      {
        name: 'log out',
        run: () => status(call(bobToken, 'DELETE', '/api/sessions/current')),
        status: 204,
        rows: [['remove', 'access-token', 'bob']],
      },
      {
        name: 'end the sessions of a person',
        run: () => adas('DELETE', `/api/sessions?person=${bobId}`),
        status: 204,
        rows: [
          ['remove', 'session'],
          ['remove', 'session'],
        ],
      },
      {
        name: 'end no session',
        run: () => adas('DELETE', `/api/sessions?person=${bobId}`),
        status: 204,
        rows: [],
      },
      {
        name: 'take a team and the rules for addresses out of the rights',
        run: () =>
          adas('PUT', '/api/rights', { document: { roles: support.roles, teams: { Operations: {} } }, base: 1 }),
        status: 200,
        rows: [
          ['update', 'rights'],
          ['update', 'ip-rules'],
          ['remove', 'team'],
        ],
      },
      {
        name: 'take the rights away',
        run: () => adas('PUT', '/api/rights', { document: null, base: 2 }),
        status: 200,
        rows: [
          ['update', 'rights'],
          ['remove', 'role'],
        ],
      },
      {
        name: 'replace rights that were changed meanwhile',
        run: () => adas('PUT', '/api/rights', { document: support, base: 1 }),
        status: 409,
        rows: [],
      },
      {
        name: 'make an environment',
        run: () => adas('POST', '/api/environments', { name: 'canary', type: 'production', agentAddresses: addresses }),
        status: 201,
        rows: [
          ['add', 'environment'],
          ['add', 'environment-settings'],
        ],
      },
      {
        name: 'make the environment again',
        run: () => adas('POST', '/api/environments', { name: 'canary', type: 'production' }),
        status: 409,
        rows: [],
      },
      {
        name: 'change the addresses of its agents',
        run: () => adas('PATCH', '/api/environments/canary', { agentAddresses: [] }),
        status: 200,
        rows: [['update', 'environment-settings']],
      },
      {
        name: 'change nothing of them',
        run: () => adas('PATCH', '/api/environments/canary', { agentAddresses: [] }),
        status: 200,
        rows: [],
      },
      {
        name: 'rotate the secret of the environment',
        run: async () => {
          const { status: answered, body } = await call(ada, 'POST', '/api/environments/canary/secret');
          keep(String(body['secret']));
          return answered;
        },
        status: 200,
        rows: [['update', 'environment-secret']],
      },
      {
        name: 'set variables',
        run: () => adas('PATCH', '/api/variables', { set: { API_KEY: 'first value', MODE: 'first value' }, base: 0 }),
        status: 200,
        rows: [['update', 'variables']],
      },
      {
        name: 'set the variables that there are',
        run: () => adas('PATCH', '/api/variables', { set: { API_KEY: 'first value' }, unset: ['OTHER'], base: 1 }),
        status: 200,
        rows: [],
      },
      {
        name: 'set variables that were changed meanwhile',
        run: () => adas('PATCH', '/api/variables', { set: { API_KEY: 'other' }, base: 0 }),
        status: 409,
        rows: [],
      },
      {
        name: 'push a version',
        run: () => status(push(ada, made.project.id, 'one')),
        status: 201,
        rows: [['add', 'version']],
      },
      { name: 'push it again', run: () => status(push(ada, made.project.id, 'one')), status: 200, rows: [] },
      {
        name: 'deploy',
        run: () => deploy({ version: 1 }),
        status: 201,
        rows: [
          ['add', 'deployment'],
          ['update', 'deployment', 'platform'],
          ['update', 'environment', 'ada'],
        ],
      },
      {
        name: 'deploy what fails',
        run: async () => {
          await push(ada, made.project.id, 'broken');
          return deploy({ version: 2 });
        },
        status: 201,
        rows: [
          ['add', 'version'],
          ['add', 'deployment'],
          ['update', 'deployment', 'platform'],
        ],
      },
      {
        name: 'deploy another version, then roll back',
        run: async () => {
          await push(ada, made.project.id, 'three');
          await deploy({ version: 3 });
          return deploy({ deployment: 1 });
        },
        status: 201,
        rows: [
          ['add', 'version'],
          ['add', 'deployment'],
          ['update', 'deployment', 'platform'],
          ['update', 'environment', 'ada'],
          ['add', 'deployment'],
          ['update', 'deployment', 'platform'],
          ['update', 'environment', 'ada'],
        ],
      },
      {
        name: 'deploy a version that is missing',
        run: () => deploy({ version: 99 }, false),
        status: 404,
        rows: [],
      },
      {
        name: 'rotate the keys of the sign-in',
        run: () => adas('POST', '/api/sign-in-keys/rotate'),
        status: 204,
        rows: [['add', 'sign-in-key']],
      },
      {
        name: 'make a link for a password',
        run: async () => {
          const { status: answered, body } = await call(ada, 'POST', `/api/people/${bobId}/password-reset`);
          link = keep(String(body['link']).split('#')[1] ?? '');
          return answered;
        },
        status: 201,
        rows: [['add', 'password']],
      },
      {
        name: 'use the link',
        run: () =>
          status(
            call(null, 'POST', '/api/password-resets/use', { secret: link, password: keep('another long password') }),
          ),
        status: 204,
        rows: [['update', 'password', 'bob']],
      },
      {
        name: 'use the link again',
        run: () => status(call(null, 'POST', '/api/password-resets/use', { secret: link, password })),
        status: 409,
        rows: [],
      },
      {
        name: 'create an API token',
        run: async () => {
          const answer = await call(ada, 'POST', tokenPath, { name: 'ci', level: 'read-only' });
          keep(String(answer.body['token']));
          apiToken = `${tokenPath}/${String(answer.body['id'])}`;
          return answer.status;
        },
        status: 201,
        rows: [['add', 'api-token']],
      },
      {
        name: 'rotate an API token',
        run: async () => {
          const answer = await call(ada, 'POST', `${apiToken}/rotate`, {});
          keep(String(answer.body['token']));
          return answer.status;
        },
        status: 200,
        rows: [['update', 'api-token']],
      },
      {
        name: 'revoke an API token',
        run: () => adas('DELETE', apiToken),
        status: 204,
        rows: [['remove', 'api-token']],
      },
      {
        name: 'revoke an API token again',
        run: () => adas('DELETE', apiToken),
        status: 204,
        rows: [],
      },
      {
        name: 'deactivate a person',
        run: () => adas('PATCH', `/api/people/${bobId}`, { isActive: false }),
        status: 200,
        rows: [['remove', 'user-project']],
      },
      {
        name: 'activate a person',
        run: () => adas('PATCH', `/api/people/${bobId}`, { isActive: true }),
        status: 200,
        rows: [['add', 'user-project']],
      },
      {
        name: 'revoke an invitation',
        run: async () => {
          keep(await invite(ada, 'eve@example.test', 'Operations'));
          const { body } = await call(ada, 'GET', '/api/invitations');
          const [invitation] = invitationsSchema.parse(body).invitations;
          return adas('DELETE', `/api/invitations/${invitation?.id}`);
        },
        status: 204,
        rows: [
          ['add', 'invitation'],
          ['remove', 'invitation'],
        ],
      },
      { name: 'revoke it again', run: () => adas('DELETE', '/api/invitations/999'), status: 404, rows: [] },
      {
        name: "change one's own password",
        run: () => adas('POST', '/api/me/password', { current: password, password: keep('a third long password') }),
        status: 204,
        rows: [
          ['update', 'password'],
          ['remove', 'access-token'],
        ],
      },
    ];

    expect((await newRows()).map(({ type, resource, address }) => [type, resource, address])).toEqual([
      ['initial', 'password', undefined],
      ['initial', 'role', undefined],
      ['initial', 'user-project', undefined],
      ['initial', 'environment', undefined],
      ['initial', 'environment', undefined],
      ['initial', 'environment', undefined],
      ['initial', 'team', undefined],
      ['add', 'access-token', undefined],
    ]);
    for (const step of steps) {
      expect([step.name, await step.run()]).toEqual([step.name, step.status]);
      const rows = await newRows();
      const seen = rows.map(({ type, resource, user, initiator }) => [
        type,
        resource,
        user?.email.split('@')[0]?.toLowerCase() ?? initiator,
      ]);
      const wanted = step.rows.map(([type, resource, who = 'ada']) => [type, resource, who]);
      expect([step.name, ...seen]).toEqual([step.name, ...wanted]);
      for (const row of rows) {
        logged.push(JSON.stringify(row));
        const schema = Object.entries(coreValueSchemas).find(([resource]) => resource === row.resource)?.[1];
        for (const value of [row.previousValue, row.newValue]) if (schema && value) schema.parse(value);
        // Nobody asks for it when a deployment becomes live.
        const isAsked = row.user !== undefined && !(row.resource === 'environment' && row.type === 'update');
        expect([step.name, row.address]).toEqual([step.name, isAsked ? clientAddress : undefined]);
      }
    }
    expect(logged.filter((row) => row.includes('Bob\\n=1\u2028\u202E Builder')).length).toBeGreaterThan(0);
    expect(logged.filter((row) => secrets.some((secret) => row.includes(secret)))).toEqual([]);
  },
  15 * 60_000,
);
