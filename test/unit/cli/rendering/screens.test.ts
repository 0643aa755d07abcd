import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpTopic } from '#cli/help/help-topics';
import { renderTokens } from '#cli/rendering/render-api-tokens';
import { renderApprovals } from '#cli/rendering/render-approvals';
import { renderArchivedLogs, renderVerifiedArchive } from '#cli/rendering/render-archive';
import { renderFoundLogs } from '#cli/rendering/render-audit-log';
import { renderCreated, renderSources } from '#cli/rendering/render-data-sources';
import { renderVersions } from '#cli/rendering/render-deployments';
import { renderElevations } from '#cli/rendering/render-elevations';
import { renderEnvironments, renderSettings, renderVariables } from '#cli/rendering/render-environments';
import { renderErasedPerson } from '#cli/rendering/render-erased-person';
import { renderGroups, renderScimTokens } from '#cli/rendering/render-groups';
import { renderInsights } from '#cli/rendering/render-insights';
import { renderConnectedClients, renderTools } from '#cli/rendering/render-mcp';
import { renderInbox, renderNotes } from '#cli/rendering/render-notes';
import { renderFactors, renderPeople, renderRoles, renderTeams } from '#cli/rendering/render-people';
import { renderPermissions } from '#cli/rendering/render-permissions';
import { renderChart, renderRecords } from '#cli/rendering/render-run';
import { renderCosigned, renderSegments } from '#cli/rendering/render-segments';
import { renderUndone } from '#cli/rendering/render-undone-writes';
import type { Terminal } from '#cli/terminal/terminal';
import { readSources } from '../../../architecture/source-tree.ts';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

const at = '2026-03-01T10:20:30.000Z';
const long = 'a text that goes on and on, as people write them when nobody tells them how much room there is for it';
const ada = {
  id: 1,
  name: 'Ada Lovelace of the Department of Analytical Engines',
  email: 'ada.lovelace@analytical-engines.example',
};

type Part<Whole> = Whole extends object ? { readonly [Name in keyof Whole]?: Part<Whole[Name]> } : Whole;

/** An answer with the members that its screen shows. */
function part<Whole>(shown: Part<NoInfer<Whole>>): Whole {
  return shown as Whole;
}

/** A screen of each command with a table, with more in it than a terminal has room for. */
const screens: Readonly<Record<string, (terminal: Terminal) => string>> = {
  'audit search': (terminal) =>
    renderFoundLogs(
      part({
        kind: 'activity',
        hasMore: true,
        logs: [
          {
            id: '1',
            createdAt: at,
            user: ada,
            action: 'action',
            label: long,
            status: 'completed',
            type: 'write',
            collection: { name: 'orders_of_the_last_century' },
            recordIds: ['1', '2', '3'],
            recordCount: 3,
            fields: ['status', 'shipped_at', 'price'],
          },
        ],
      }),
      terminal,
    ),
  'config explain': (terminal) =>
    renderSettings(
      part([
        {
          name: 'SERVICE_SERVER_URL',
          value: `https://${'platform.'.repeat(12)}example`,
          source: '.env',
          overruled: ['default', 'link'],
        },
      ]),
      terminal,
    ),
  'data seed': (terminal) => renderCreated({ collections: [{ name: long, created: 20 }] }, terminal),
  'data-sources list': (terminal) =>
    renderSources(
      part({
        dataSources: [
          {
            name: 'main',
            engine: 'postgres',
            uri: `postgres://${'host.'.repeat(10)}example/app`,
            variables: [{ name: 'MAIN_DATABASE_URL', isSet: false }],
            include: ['orders', 'customers'],
            exclude: null,
            rename: 'x_',
          },
        ],
      }),
      terminal,
    ),
  'env list': (terminal) =>
    renderEnvironments(
      part({
        project: 'shop',
        current: 'staging',
        environments: [
          {
            id: 1,
            name: 'staging',
            type: 'production',
            agentAddresses: [
              'https://agent-of-the-shop.staging.example.com',
              'https://second-agent.staging.example.com',
            ],
          },
        ],
      }),
      terminal,
    ),
  'help exit-codes': (terminal) => helpTopic('exit-codes', terminal)?.text ?? '',
  'mcp clients list': (terminal) =>
    renderConnectedClients(
      part({
        environment: 'production',
        clients: [
          {
            id: 'a1'.repeat(16),
            name: long,
            person: ada,
            scopes: ['mcp:read', 'mcp:write', 'mcp:action'],
            countsAs: null,
            rights: null,
            lastTokenAt: at,
          },
        ],
      }),
      terminal,
    ),
  'mcp tools': (terminal) =>
    renderTools(
      part({
        server: 'http://127.0.0.1:3931/mcp',
        tools: [
          {
            name: 'executeAction',
            isReadOnly: false,
            isDestructive: true,
            arguments: ['collectionName', 'actionName', 'recordIds', 'values', 'dryRun', 'idempotencyKey'].map(
              (name) => ({ name, isRequired: name < 'e' }),
            ),
          },
        ],
      }),
      terminal,
    ),
  'notes list': (terminal) =>
    renderNotes(
      part({
        environment: 'production',
        nextCursor: null,
        notes: [
          {
            id: 41,
            title: long,
            collection: { name: 'orders_of_the_last_century' },
            recordId: '1234567890123',
            messages: [{ content: 'one' }, { content: 'two' }],
            updatedAt: at,
            user: { username: ada.email },
          },
        ],
      }),
      terminal,
    ),
  'people list': (terminal) =>
    renderPeople(
      part({
        project: 'shop',
        people: [
          {
            ...{ ...ada, level: 'developer', role: long, team: long, isActive: false },
            roles: [
              { name: long, source: 'given' },
              { name: 'root', source: 'elevation', environment: 'production', endsAt: at },
            ],
            teams: [{ name: long, source: 'group', group: long }],
          },
        ],
        invitations: [{ ...ada, level: 'admin', role: long, team: null, roles: [long], teams: [], expiresAt: at }],
      }),
      terminal,
    ),
  'notes inbox': (terminal) =>
    renderInbox(
      part({
        isWhole: true,
        marked: 1,
        notes: [
          {
            ...{ id: 41, title: long, collection: 'orders_of_the_last_century', recordId: '1234567890123', last: 9 },
            ...{ updatedAt: at, user: { id: 7, name: long }, unread: 2, isMentioned: true },
          },
        ],
      }),
      terminal,
    ),
  'approvals list': (terminal) =>
    renderApprovals(
      part({
        environment: 'production',
        approvals: [
          {
            ...{ id: 12, person: { id: 7, name: long, email: 'ada@example.test' }, action: long, collection: long },
            ...{ records: 3, state: 'asked', askedAt: at, mayDecide: true, outcome: null, decidedBy: null },
            comments: [{ person: { id: 7, name: long, email: 'ada@example.test' }, text: long, at }],
          },
        ],
      }),
      terminal,
    ),
  'elevations list': (terminal) =>
    renderElevations(
      part({
        environment: 'production',
        elevations: [
          {
            ...{ id: 12, person: { id: 7, name: long, email: 'ada@example.test' }, role: long, reason: long },
            ...{ state: 'asked', minutes: 30, endsAt: null, mayDecide: true },
          },
        ],
      }),
      terminal,
    ),
  'factors list': (terminal) =>
    renderFactors(
      {
        factors: [{ id: 12, kind: 'totp', name: long, createdAt: at, lastUsedAt: at, isUsable: true }],
        recoveryCodes: 9,
        isNeeded: true,
        page: 'https://p.test/',
      },
      terminal,
    ),
  'groups list': (terminal) =>
    renderGroups(
      {
        project: 'shop',
        groups: [{ group: long, roles: [long, long], teams: [long], makesAdministrator: true, people: 20 }],
        keptAdministrators: [],
      },
      terminal,
    ),
  'scim list': (terminal) =>
    renderScimTokens(
      {
        project: 'shop',
        tokens: [
          {
            ...{
              id: 3,
              name: long,
              hint: 'a1B2',
              role: long,
              team: long,
              createdAt: at,
              lastUsedAt: at,
              revokedAt: null,
            },
            lastRefusal: { reason: long, at },
          },
        ],
      },
      terminal,
    ),
  'roles list': (terminal) => renderRoles({ project: 'shop', roles: [{ id: 4, name: long, people: 20 }] }, terminal),
  'teams list': (terminal) =>
    renderTeams({ project: 'shop', teams: [{ name: long, people: 20, isKept: true }] }, terminal),
  'permissions list': (terminal) =>
    renderPermissions(
      part({
        environment: 'production',
        revision: 3,
        roles: {
          'support of the northern countries': {
            collections: {
              orders_of_the_last_century: {
                browse: true,
                read: true,
                edit: true,
                add: true,
                delete: true,
                export: true,
              },
            },
          },
        },
      }),
      terminal,
    ),
  'run chart': (terminal) => renderChart(part({ chart: 'sales', value: [{ label: long, values: 3 }] }), terminal),
  'run list': (terminal) =>
    renderRecords(
      part({
        collection: 'orders',
        page: { number: 1, size: 20 },
        fields: ['id', 'comment', 'customer:id', 'customer:name'],
        records: [{ id: 1, comment: long, customer: { id: 7, name: long } }],
      }),
      terminal,
    ),
  'platform erase-person': (terminal) =>
    renderErasedPerson(
      part({
        email: 'ada@example.test',
        store: 'sqlite:/var/lib/vendor-cloud/platform.sqlite',
        isErased: true,
        logs: [
          { project: 'shop', environment: long, rows: 1_200, rowsThatStay: 3, keptValues: 12 },
          { project: 'shop', environment: null, rows: 2, rowsThatStay: 0, keptValues: 0 },
        ],
        texts: { notes: 2, messages: 1_200, mentions: 3, inbox: 4, comments: 0, invitations: 1 },
      }),
      terminal,
    ),
  'audit undo': (terminal) =>
    renderUndone(
      part({
        isConfirmed: true,
        undone: [{ collection: 'orders_of_the_last_century', recordId: long, sequence: 12_345, action: 'update' }],
        left: [{ collection: 'orders', recordId: '7', sequence: 12_346, why: long }],
        unversioned: 3,
      }),
      terminal,
    ),
  'audit segments': (terminal) =>
    renderSegments(
      part({
        chain: '6f1d2c3b-0000-4000-8000-000000000001',
        segments: [
          ...['2026-09', '2026-10'].map((month, index) => ({
            ...{ month, first: 1 + index * 10_000_000, last: 10_000_000 + index * 10_000_000, size: 10_000_000 },
            ...{ note: 'signed', isKept: index > 0, cosigned: ['note'] },
          })),
          { month: '2026-11', first: 20_000_001, last: 20_000_002, size: 2, note: null, isKept: true, cosigned: [] },
        ],
      }),
      terminal,
    ),
  'audit archive': (terminal) =>
    renderArchivedLogs(
      part({
        archive: '/var/archive',
        logs: [
          {
            ...{ project: long, environment: 'production', chain: '6f1d2c3b-0000-4000-8000-000000000001' },
            months: [
              { month: '2026-09', rows: 10_000_000, state: 'lost' },
              { month: '2026-10', rows: 10_000_000, state: 'archived' },
            ],
          },
        ],
      }),
      terminal,
    ),
  'audit verify --archive': (terminal) =>
    renderVerifiedArchive(
      part({
        archive: '/var/archive',
        outcome: 'holds',
        logs: [
          {
            ...{ project: long, environment: null, chain: '6f1d2c3b-0000-4000-8000-000000000001' },
            ...{ months: ['2026-09', '2026-10'], rows: 20_000_000, first: 1, last: 20_000_000, erasures: [20_000_002] },
          },
        ],
      }),
      terminal,
    ),
  'audit cosign': (terminal) =>
    renderCosigned(
      part({
        cosigner: 'witness+0a1b2c3d+BKzZ',
        state: 'witness.state',
        registerSize: 4,
        logs: [
          {
            chain: '6f1d2c3b-0000-4000-8000-000000000001',
            environment: long,
            month: '2026-11',
            last: 20_000_002,
            isNew: false,
          },
        ],
      }),
      terminal,
    ),
  'tokens list': (terminal) =>
    renderTokens(
      part({
        project: 'shop',
        tokens: [
          {
            id: 1234,
            name: long,
            hint: 'a1B2',
            state: 'active',
            scopes: ['activity_logs:read', 'admin_logs:read', 'notes:write'],
            lastUsedAt: at,
            expiresAt: at,
            expiresSoon: false,
          },
        ],
      }),
      terminal,
    ),
  // The sentences below the tables are broken where every result is: only tables know the width.
  insights: (terminal) =>
    renderInsights(
      part({
        ...{ agentUrl: 'http://[::1]', since: '2026-04-01T10:00:00.000Z', calls: 9, otherCalls: 0, file: null },
        queries: [
          {
            id: 'list a_collection_with_a_long_name where a_field_with_a_long_name Equal by another_field descending',
            ...{ calls: 1_204_000, failed: 3, medianMs: 62, p95Ms: 10_000, read: 90_000_000, shown: 45_000_000 },
            ...{ isSlow: true, readsMuch: true },
          },
        ],
        indexes: [],
        unused: { collections: [], fields: [], customizations: [] },
        unneededRights: { days: 30, sentences: [], unjudged: [], logSince: null },
      }),
      terminal,
    ),
  'variables list': (terminal) =>
    renderVariables(
      part({
        environment: 'production',
        revision: 7,
        live: { deployment: 3, revision: 7 },
        variables: [{ name: 'A_VARIABLE_WITH_A_NAME_THAT_TAKES_MORE_ROOM_THAN_THERE_IS', isLive: true, isNext: false }],
      }),
      terminal,
    ),
  versions: (terminal) =>
    renderVersions(
      part({
        environment: 'production',
        live: 12,
        nextBefore: null,
        deployments: [{ number: 40, version: 12 }],
        versions: [{ number: 12, createdAt: at, gitCommit: 'a1b2c3d4e5f6', author: ada, message: long }],
      }),
      terminal,
    ),
};

/** Titles that are cut, because times would be otherwise. */
const titlesBesideTimes: Readonly<Record<string, string>> = {
  'approvals list in 60': 'ID, E-MAIL, ACTION, RECOR…, STATE, ASKED (UTC), COMMENT',
  'audit search in 60': 'TIME (UTC), WHO, ACTION, COLLE…, RECOR…, OK, FIELDS',
  'versions in 60': 'VERSION, DEPLOYM…, TIME (UTC), COMMIT, AUTHOR, MESSAGE',
};

it('the screen of "audit search --admin" cuts long documents, and a pipe has them whole', () => {
  const document = { roles: Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`role${index}`, {}])) };
  const logs = [
    { id: '1', createdAt: at, user: ada, type: 'update' as const, resource: 'rights' as const, newValue: document },
  ];
  const found = part<Parameters<typeof renderFoundLogs>[0]>({ kind: 'admin', hasMore: false, logs });
  const screen = renderFoundLogs(found, plainTerminal(240));
  expect(screen).toContain('role1');
  expect(screen).not.toContain('role98');
  expect(Math.max(...screen.split('\n').map(({ length }) => length))).toBeLessThan(260);
  expect(renderFoundLogs(found, plainTerminal())).toContain('role98');
});

describe.each(Object.entries(screens))('the screen of "%s"', (name, render) => {
  const lengths = (text: string) => text.split('\n').map((line) => [...line].length);
  /** Words in capitals at the top, as they are in a pipe. */
  const titlesOf = (text: string) =>
    (text.split('\n').find((line) => /^[ A-Z(]/.test(line)) ?? '').trim().split(/ {2,}/);

  const timesIn = (text: string) => text.match(/\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/g);

  it.each([60, 120])('fits into %d columns with whole titles', (columns) => {
    const screen = render(plainTerminal(columns));
    const whole = render(plainTerminal());
    expect(Math.max(...lengths(screen))).toBeLessThanOrEqual(columns);
    expect(titlesOf(screen).join(', ')).toBe(titlesBesideTimes[`${name} in ${columns}`] ?? titlesOf(whole).join(', '));
    expect(timesIn(screen)).toEqual(timesIn(whole));
    expect(`\n${screen}\n`).toMatchSnapshot(name);
  });

  it('is whole in a pipe', () => {
    expect(render(plainTerminal()).replaceAll('…a1B2', '')).not.toContain('…');
  });
});

it.each([
  [
    'variables list',
    renderVariables({ environment: 'staging', revision: 0, live: null, variables: [] }, plainTerminal()),
    'vendor-cloud variables set <name> --env staging',
  ],
  [
    'versions',
    renderVersions(part({ environment: 'staging', versions: [] }), plainTerminal()),
    'vendor-cloud push --env staging',
  ],
  [
    'permissions list',
    renderPermissions(part({ environment: 'staging', roles: null }), plainTerminal()),
    'vendor-cloud permissions apply --env staging',
  ],
])('the empty screen of "%s" names the command for that environment', (_name, screen, command) => {
  expect(screen).toMatch(new RegExp(`: ${command}$`));
});

it('every module that draws a table has a screen here', () => {
  const drawing = readSources('src/cli').filter(({ text }) => /\brenderTable\(/.test(text));
  const shown = readFileSync(import.meta.filename, 'utf8');
  const modules = drawing.map(({ path }) => path.replace('.ts', '')).filter((module) => module !== 'terminal/table');
  expect(modules.length).toBeGreaterThan(10);
  expect(modules.filter((module) => !shown.includes(`'#cli/${module}'`))).toEqual([]);
});

it('a search of the log shows the person, the program and its tool in a terminal of 80 columns', () => {
  const log = (more: object) => ({
    ...({ id: '1', createdAt: at, user: { ...ada, email: 'ada@example.com' }, action: 'index', type: 'read' } as const),
    ...{ status: 'completed' as const, collection: { name: 'orders' }, recordIds: [], fields: ['status'] },
    ...more,
  });
  const program = { client: { id: 'c', name: 'Claude' }, tool: 'list' };
  const found = part<Parameters<typeof renderFoundLogs>[0]>({
    kind: 'activity',
    hasMore: false,
    logs: [log(program), log({})],
  });
  const lines = renderFoundLogs(found, plainTerminal(80)).split('\n');
  expect(lines[0]).toMatch(/^TIME \(UTC\) +WHO +PROGRAM +ACTION +COLLECT\S* +RECORDS +OK$/);
  expect(lines[1]).toMatch(/^2026-03-01 10:20:30 +ada@ex[^ ]+ +Claude: list +index +orders +✔$/);
  expect(lines[2]).not.toContain('Claude');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(renderFoundLogs(found, plainTerminal(Number.POSITIVE_INFINITY))).toContain('FIELDS');
  const byPeople = part<Parameters<typeof renderFoundLogs>[0]>({ kind: 'activity', hasMore: false, logs: [log({})] });
  expect(renderFoundLogs(byPeople, plainTerminal(80))).not.toContain('PROGRAM');
});
