import type { CallToolResult } from '@modelcontextprotocol/server';
import { strFromU8, unzipSync } from 'fflate';
import { environmentPermissionsSchema } from '#contracts/permissions';
import { catalogue } from '#kernel/errors/catalogue';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createActReporter } from '#runtime/activity/act-reporter';
import { createAgentState } from '#runtime/agent/assemble/create-agent-state';
import { createAgentExplainer } from '#runtime/agent/explain/agent-explainer';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createInsightsReader } from '#runtime/insights/create-insights';
import { ownCounts } from '#runtime/insights/peer-counts';
import { QueryRecorder } from '#runtime/insights/query-recorder';
import { createAuthoriser } from '#runtime/permissions/create-authoriser';
import { createPermissionDocuments } from '#runtime/permissions/permission-documents';
import { createSignedApprovals } from '#runtime/permissions/signed-approvals';
import { createSafeguards } from '#runtime/surfaces/mcp/safeguards/safeguards';
import { callTool } from '#runtime/surfaces/mcp/tools/call-tool';
import { tools } from '#runtime/surfaces/mcp/tools/index';
import { createAgentStateHolder } from '#runtime/surfaces/request/agent-state';
import { createPageCursors } from '#runtime/surfaces/request/page-cursors';
import { ProgramLimits } from '#runtime/surfaces/request/program-limits';
import { createRecordHistories } from '#runtime/surfaces/request/record-histories';
import { defaultRequestLimits, SlowRequests } from '#runtime/surfaces/request/request-limits';
import { createRestServer } from '#runtime/surfaces/rest/rest-server';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { marksInMemory } from '../../helpers/mcp-marks.ts';
import { unrestrictedPrograms } from '../../helpers/role-platform.ts';
import { identity, spendOnce } from '../../helpers/shop-agent.ts';
import type { OpenTables } from '../data-source/opened.ts';
import type { AskedTool } from './mcp-request.ts';
import type { ShopRequest } from './requests.ts';
import type { Rights, ScopesByName } from './rights.ts';
import { names, type Shop, tablesOf } from './shop-data.ts';
import { approvalsOf, asker, historiesOf, notesOnAll, requestsSeenBy, stranger } from './shop-trail.ts';

/** A request as it is sent. */
export interface AskedRequest extends Pick<ShopRequest, 'url' | 'body'> {
  /** By default POST with a body and GET without one. */
  readonly method?: 'POST' | 'PUT' | 'DELETE';
  readonly headers?: ShopRequest['headers'];
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Where the console asks the platform for requests for approvals. */
export const requestsPath = '/api/approvals';

const tokens = createSessionTokens('the auth secret of a test', systemClock, () => false);

/** An agent that serves a shop to one person, without a socket. */
export async function serveShop(
  open: OpenTables,
  data: Shop,
  rights: Rights,
  customize: (agent: Agent) => unknown = () => undefined,
) {
  const dataSource = await open(tablesOf(data));
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('orders', (orders) =>
    orders
      .addAction('Ship', {
        scope: 'Single',
        form: [
          { type: 'Collection', label: 'Customer', collectionName: 'customers' },
          {
            type: 'String',
            label: 'Status',
            defaultValue: async (context) => String(await context.getField('status')),
          },
        ],
        execute: () => undefined,
      })
      .addChart('Label', async (context, result) => result.smart(await context.getRecord(['reference', 'status']))),
  );
  customize(collector.agent);
  const model = compileModel([dataSource], await collector.finish());
  const authoriser = createAuthoriser(createPermissionDocuments(sourceOf(rights), systemClock));
  const states = createAgentStateHolder();
  const approvals = createSignedApprovals('e'.repeat(64), { spendApproval: spendOnce() }, systemClock, systemRandom);
  await states.swap(
    createAgentState(model, {
      authoriser,
      programAuthoriser: authoriser,
      approvals,
      prefix: '/service',
      logger: silentLogger,
      aiOf: () => undefined,
      recorder: new QueryRecorder(systemClock),
    }),
  );
  const cursors = createPageCursors(Buffer.alloc(32));
  const requests = approvalsOf(data);
  const app = createRestServer({
    prefix: '/service',
    cursors,
    states,
    tokens,
    allowedOrigins: new Set(),
    reporter: createActReporter(undefined),
    approvals: requests,
    histories: createRecordHistories(historiesOf(data), createActReporter(undefined)),
    explainRights: createAgentExplainer(states, sourceOf(rights), systemClock).permissions,
    notes: notesOnAll(),
    insights: createInsightsReader(ownCounts(() => new QueryRecorder(systemClock).counts())),
    programLimits: new ProgramLimits(systemClock),
    logger: silentLogger,
    random: systemRandom,
  });
  const authorization = `Bearer ${await tokens.issue(identity)}`;
  const asDeveloper = `Bearer ${await tokens.issue({ ...identity, permissionLevel: 'developer' })}`;
  const services = {
    states,
    logger: silentLogger,
    random: systemRandom,
    reporter: createActReporter(undefined),
    approvals: requests,
    cursors,
    slowRequests: new SlowRequests(defaultRequestLimits),
    programLimits: new ProgramLimits(systemClock),
    safeguards: createSafeguards(
      {
        authSecret: 'the auth secret of a test',
        platform: { spendApproval: spendOnce(), mcpMarks: marksInMemory() },
        clock: systemClock,
        random: systemRandom,
      },
      { limits: { callsPerMinute: null, writesPerMinute: null } },
    ),
  };
  return {
    /** Call a tool of the MCP server. The status is that of the REST API. */
    async askTool({ name, args }: AskedTool): Promise<Answer> {
      const tool = tools.find((known) => known.name === name);
      if (!tool) throw new TypeError(`There is no tool "${name}".`);
      const { signal } = new AbortController();
      const sent = JSON.parse(JSON.stringify(args));
      const dialogue = { canAsk: false, confirmation: undefined, reply: undefined };
      const call = { tool, sent, claims: identity, clientId: 'test', signal, dialogue };
      const result = (await callTool(call, services)) as CallToolResult;
      if (!result.isError) return { status: 200, body: JSON.stringify(result.structuredContent) };
      const [content] = result.content;
      const { error } = JSON.parse(content?.type === 'text' ? content.text : '');
      return { status: catalogue[error.code as keyof typeof catalogue].status, body: JSON.stringify(error) };
    },
    async ask({ method, url, headers = {}, body }: AskedRequest): Promise<Answer> {
      if (url === requestsPath)
        return { status: 200, body: JSON.stringify(await requestsSeenBy(identity, sourceOf(rights))) };
      const { statusCode, payload, rawPayload } = await app.inject({
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        url,
        headers: { ...headers, authorization: url.includes('/_internal/insights') ? asDeveloper : authorization },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      if (statusCode === 200 && url.includes('.xlsx')) return { status: statusCode, body: textOfWorkbook(rawPayload) };
      // The id of a chart is that of its request.
      return { status: statusCode, body: payload.replace(/"id":"[0-9a-f-]{36}","type":"stats"/, '"type":"stats"') };
    },
    /** Everything there is, whoever may see it. */
    async everything(): Promise<Shop> {
      const rows = names.map(async (name) => {
        const { fields = new Map() } = dataSource.collections.find((collection) => collection.name === name) ?? {};
        const projection = [...fields.values()].filter(({ kind }) => kind === 'column').map((field) => field.name);
        const sort = [{ field: 'id', ascending: true }];
        return [name, await dataSource.list({ collection: name, projection, sort }, { timezone: 'UTC' })] as const;
      });
      return Object.fromEntries(await Promise.all(rows)) as unknown as Shop;
    },
    async close() {
      await app.close();
      await dataSource.close();
    },
  };
}

/** All of its parts. The times of the archive are left out. */
function textOfWorkbook(bytes: Uint8Array): string {
  return Object.entries(unzipSync(bytes))
    .map(([path, part]) => `${path}\n${strFromU8(part)}`)
    .join('\n');
}

function conditionOf({ column, value }: NonNullable<ScopesByName[keyof ScopesByName]>) {
  return { field: column, operator: 'equal', value };
}

/** The numbers of the first role and of the rendering of the first team. */
const [firstRole, firstRendering] = [1, identity.renderingId];

const seesEverything: ScopesByName = { customers: null, orders: null, lines: null };

function seesAll(right: string): boolean {
  return right === 'browse' || right === 'read';
}

function sourceOf({ scopes, furtherRoles = [], furtherTeams = [], ...first }: Rights) {
  const roles = [first, ...furtherRoles].map((role, index) => ({ id: firstRole + index, ...role }));
  const teams = [scopes, ...furtherTeams].map((of, index) => ({ id: firstRendering + index, of }));
  const permissions = environmentPermissionsSchema.parse({
    collections: Object.fromEntries(
      names.map((name) => {
        const held = (right: keyof (typeof first.of)[typeof name]) => ({
          roles: [
            ...roles.filter(({ of }) => of[name][right]).map(({ id }) => id),
            ...(seesAll(right) ? [asker.id] : []),
          ],
        });
        // The first role only, so that not everybody approves everything.
        const ship = {
          triggerEnabled: true,
          approvalRequired: false,
          userApprovalEnabled: {
            roles: roles
              .slice(0, 1)
              .filter(({ of }) => of[name].edit)
              .map(({ id }) => id),
          },
        };
        const reading = { browseEnabled: held('browse'), readEnabled: held('read'), exportEnabled: held('export') };
        const writing = { addEnabled: held('add'), editEnabled: held('edit'), deleteEnabled: held('delete') };
        const rules: Record<string, object[]> = {};
        for (const { id, fields } of roles) {
          for (const [field, rule] of Object.entries(fields?.[name] ?? {})) {
            rules[field] = [...(rules[field] ?? []), { ...rule, roles: [id] }];
          }
        }
        const kept = roles.flatMap(({ id: roleId, kept: own }) =>
          own?.[name] ? [{ roleId, filter: conditionOf(own[name]) }] : [],
        );
        const collection = { ...reading, ...writing };
        return [name, { collection, actions: { Ship: ship }, fields: rules, scopes: kept }];
      }),
    ),
  });
  const collectionsOf = (of: ScopesByName) =>
    Object.fromEntries(
      names.map((name) => {
        const scope = of[name];
        return [name, { scope: scope && conditionOf(scope), segments: [], liveQuerySegments: [] }];
      }),
    );
  const numbered = (of: readonly { readonly id: number }[]) =>
    of.length === 1 ? undefined : of.map(({ id }) => ({ id, name: String(id), source: 'given' }));
  // Who may see every chart has no other right by that.
  const user = {
    ...{ ...identity, fullName: '', permissionLevel: 'editor' as const, roleId: firstRole },
    ...{ heldRoles: numbered(roles), heldTeams: numbered(teams) },
  };
  // Their roles have their own ids.
  const others = [asker, stranger].map((person) => ({ ...person, fullName: '', roleId: person.id }));
  return {
    environmentPermissions: async () => permissions,
    users: async () => [user, ...others],
    renderingPermissions: async (id: number) => {
      if (id === asker.renderingId)
        return { team: { id, name: 'Everything' }, collections: collectionsOf(seesEverything), stats: [] };
      const team = teams.find((each) => each.id === id);
      if (!team) throw new TypeError(`There is no rendering ${id}.`);
      return { team: { id, name: 'Operations' }, collections: collectionsOf(team.of), stats: [] };
    },
    clientPermissions: unrestrictedPrograms,
  };
}
