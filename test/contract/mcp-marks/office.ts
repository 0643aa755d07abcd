import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpSession } from '#contracts/mcp-marks';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { ActReporter, ActRequest } from '#runtime/activity/act-reporter';
import { createAgentState } from '#runtime/agent/assemble/create-agent-state';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { QueryRecorder } from '#runtime/insights/query-recorder';
import { createAuthoriser } from '#runtime/permissions/create-authoriser';
import { createPermissionDocuments } from '#runtime/permissions/permission-documents';
import { createSignedApprovals } from '#runtime/permissions/signed-approvals';
import type { IsHeardMarked, McpMarkPlatform } from '#runtime/surfaces/mcp/marks/session-marks';
import type { McpLimits } from '#runtime/surfaces/mcp/safeguards/call-limits';
import { createSafeguards } from '#runtime/surfaces/mcp/safeguards/safeguards';
import { callTool } from '#runtime/surfaces/mcp/tools/call-tool';
import { tools } from '#runtime/surfaces/mcp/tools/index';
import type { Dialogue, ToolAnswer } from '#runtime/surfaces/mcp/tools/reported-call';
import { createAgentStateHolder } from '#runtime/surfaces/request/agent-state';
import { createPageCursors } from '#runtime/surfaces/request/page-cursors';
import { ProgramLimits } from '#runtime/surfaces/request/program-limits';
import { defaultRequestLimits, SlowRequests } from '#runtime/surfaces/request/request-limits';
import { marksInMemory } from '../../helpers/mcp-marks.ts';
import { noApprovals } from '../../helpers/no-approvals.ts';
import { unrestrictedPrograms } from '../../helpers/role-platform.ts';
import { identity, spendOnce } from '../../helpers/shop-agent.ts';
import type { OpenTables } from '../data-source/opened.ts';
import type { NeutralColumn, NeutralTable } from '../data-source/tables.ts';

const id: NeutralColumn = { name: 'id', type: 'integer', isAuto: true };
const text = (name: string): NeutralColumn => ({ name, type: 'text' });
const customerCount = 120;

/** An office that sells, and that people outside write to: by messages, whose name tells, and by notes on orders, of which code says so. */
const tables: readonly NeutralTable[] = [
  {
    name: 'customers',
    columns: [id, text('name'), text('city')],
    primaryKey: ['id'],
    rows: Array.from({ length: customerCount }, (_, index) => ({
      id: index + 1,
      name: `Customer ${index + 1}`,
      city: index % 2 === 0 ? 'Paris' : 'Lyon',
    })),
  },
  {
    name: 'orders',
    columns: [id, text('reference'), text('status'), text('wish'), { name: 'customer_id', type: 'integer' }],
    primaryKey: ['id'],
    foreignKeys: [{ columns: ['customer_id'], table: 'customers', foreignColumns: ['id'] }],
    rows: Array.from({ length: 12 }, (_, index) => ({
      id: index + 1,
      reference: `A-${index + 1}`,
      status: index % 3 === 0 ? 'paid' : 'open',
      wish: null,
      customer_id: index + 1,
    })),
  },
  {
    name: 'messages',
    columns: [id, text('status'), text('body'), { name: 'order_id', type: 'integer' }],
    primaryKey: ['id'],
    foreignKeys: [{ columns: ['order_id'], table: 'orders', foreignColumns: ['id'] }],
    rows: Array.from({ length: 4 }, (_, index) => ({
      id: index + 1,
      status: 'new',
      body: 'Where is my order?',
      order_id: index + 1,
    })),
  },
];

/** How often code has run that does something. */
interface Deeds {
  shipped: number;
}

function customize(agent: Agent, deeds: Deeds): void {
  const ship = () => {
    deeds.shipped += 1;
  };
  agent.customizeCollection('orders', (orders) =>
    orders
      .markFieldUntrusted('wish')
      .addField('summary', {
        columnType: 'String',
        dependencies: ['reference', 'wish'],
        getValues: (records) => records.map(({ reference, wish }) => `${reference}: ${wish ?? ''}`),
      })
      .addAction('Ship', { scope: 'Single', execute: ship })
      .addAction('Call', {
        scope: 'Single',
        execute: (_context, result) => {
          ship();
          return result.webhook('https://elsewhere.test/call');
        },
      })
      .addAction('Show wish', {
        scope: 'Single',
        execute: async (context, result) => result.success(String(await context.getField('wish'))),
      })
      .addAction('Refuse', {
        scope: 'Single',
        execute: async (context, result) => result.error(String(await context.getField('wish'))),
      })
      .addAction('Throw', {
        scope: 'Single',
        execute: async (context) => context.throwValidationError(String(await context.getField('wish'))),
      })
      .addAction('Remember', {
        scope: 'Single',
        form: [
          { type: 'String', label: 'Wish', defaultValue: async (context) => String(await context.getField('wish')) },
        ],
        execute: ship,
      })
      .addAction('Choose', {
        scope: 'Single',
        form: [{ type: 'Enum', label: 'Customer', enumValues: Array.from({ length: 50 }, (_, n) => `Customer ${n}`) }],
        execute: ship,
      })
      .addChart('Wish', async (context, result) => result.smart(await context.getRecord(['wish']))),
  );
  agent.addChart('Names', async ({ dataSource }, result) => {
    const customers = await dataSource.getCollection('customers').list({}, ['name']);
    return result.smart(customers);
  });
  agent.customizeCollection('messages', (messages) =>
    messages.importField('wish', { path: 'order:wish', readonly: true }),
  );
}

const everything = {
  environmentPermissions: async () => true as const,
  users: async () => [],
  clientPermissions: unrestrictedPrograms,
  renderingPermissions: async () => ({ team: { id: 1, name: 'Operations' }, collections: {}, stats: [] }),
};

interface RecordedAct {
  readonly action: string;
  readonly consent: ActRequest['consent'];
}

function recorded(acts: RecordedAct[]): ActReporter {
  return {
    carryOut: (act, { consent }, run) => {
      acts.push({ action: act.action, consent });
      return run(undefined);
    },
  };
}

export const unknownDialogue: Dialogue = { canAsk: false, confirmation: undefined, reply: undefined };

interface OfficeOptions {
  readonly marks?: McpMarkPlatform['mcpMarks'];
  readonly limits?: Partial<McpLimits>;
  readonly isHeardMarked?: IsHeardMarked;
}

export type Office = Awaited<ReturnType<typeof openOffice>>;

/** An agent on the office, without a socket. */
export async function openOffice(
  open: OpenTables,
  { marks = marksInMemory(), limits, isHeardMarked }: OfficeOptions = {},
) {
  const dataSource = await open(tables);
  const deeds: Deeds = { shipped: 0 };
  const acts: RecordedAct[] = [];
  const collector = createDeclarationCollector();
  customize(collector.agent, deeds);
  const model = compileModel([dataSource], await collector.finish());
  const states = createAgentStateHolder();
  const approvals = createSignedApprovals('e'.repeat(64), { spendApproval: spendOnce() }, systemClock, systemRandom);
  const authoriser = createAuthoriser(createPermissionDocuments(everything, systemClock));
  const services = {
    authoriser,
    programAuthoriser: authoriser,
    approvals,
    prefix: '/service',
    logger: silentLogger,
    aiOf: () => undefined,
    recorder: new QueryRecorder(systemClock),
  };
  await states.swap(createAgentState(model, services));
  const toolServices = {
    states,
    logger: silentLogger,
    random: systemRandom,
    reporter: recorded(acts),
    approvals: noApprovals,
    cursors: createPageCursors(Buffer.alloc(32)),
    slowRequests: new SlowRequests({ ...defaultRequestLimits, slowSecondsPerMinute: null }),
    programLimits: new ProgramLimits(systemClock),
    safeguards: createSafeguards(
      {
        authSecret: 'the auth secret of a test',
        platform: { spendApproval: spendOnce(), mcpMarks: marks },
        clock: systemClock,
        random: systemRandom,
        isHeardMarked,
      },
      { limits: { callsPerMinute: null, writesPerMinute: null, ...limits } },
    ),
  };
  const rowsOf = (collection: string, projection: readonly string[]) =>
    dataSource.list({ collection, projection, sort: [{ field: 'id', ascending: true }] }, { timezone: 'UTC' });
  return {
    deeds,
    acts,
    sessionOf: (clientId: string): McpSession => ({ personId: identity.id, client: clientId }),
    call(name: string, sent: object, clientId: string, dialogue = unknownDialogue): Promise<ToolAnswer> {
      const tool = tools.find((known) => known.name === name);
      if (!tool) throw new TypeError(`There is no tool "${name}".`);
      const { signal } = new AbortController();
      const call = { tool, sent: sent as Record<string, unknown>, claims: identity, clientId, signal, dialogue };
      return callTool(call, toolServices);
    },
    /** Somebody outside writes. */
    async write(collection: string, key: number, field: string, value: string): Promise<void> {
      const where = { field: 'id', operator: 'Equal', value: key } as const;
      const utc = { timezone: 'UTC' };
      await dataSource.transaction((store) => store.update(collection, where, { [field]: value }, utc), utc);
    },
    /** Everything that nobody outside writes. */
    async kept() {
      return {
        customers: await rowsOf('customers', ['id', 'name', 'city']),
        orders: await rowsOf('orders', ['id', 'reference', 'status', 'customer_id']),
        messages: await rowsOf('messages', ['id', 'status', 'order_id']),
        shipped: deeds.shipped,
      };
    },
    close: () => dataSource.close(),
  };
}

/** Everything that a client reads in an answer. */
export function textsOf(answer: ToolAnswer): { readonly text: string; readonly structured: string } {
  const { content, structuredContent, inputRequests } = answer as Partial<CallToolResult> & { inputRequests?: unknown };
  const text = (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { text, structured: JSON.stringify({ structuredContent, inputRequests }) };
}
