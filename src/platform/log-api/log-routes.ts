import type { FastifyReply, FastifyRequest } from 'fastify';
import { addedRecords, type RecordsEntry } from '#contracts/audit/rows';
import { activityLogExportQuery, activityLogQuery, activityLogsQuery } from '#contracts/public-api/activity-logs';
import { adminLogExportQuery, adminLogQuery, adminLogsQuery } from '#contracts/public-api/admin-logs';
import { type Erasure, erasuresQuery } from '#contracts/public-api/erasures';
import { cloudError } from '#kernel/errors/cloud-error';
import { type ChainOwner, type ChainRecord, findChain } from '../audit/audit-chains.ts';
import { listErasures } from '../audit/list-erasures.ts';
import type { LogFilter } from '../audit/log-filter.ts';
import { type LogRow, readLog, withOutcomes } from '../audit/read-log.ts';
import { filtersOf, type PageQuery, readPage } from '../public-api/list-page.ts';
import type { ApiCall, PublicApi } from '../public-api/public-api.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import { type ExportParts, exportLogs, requireKept } from './export-logs.ts';
import { activityLog, adminLog } from './log-documents.ts';
import { activityFilter, adminFilter, echoed, type ListPlace } from './log-parameters.ts';

/** How many rows a page of a client that uses cursors looks at. */
const maxWalked = 50_000;

export const activityPath = '/project/:projectName/environment/:environmentName/activity-logs';
export const adminPath = '/project/:projectName/admin-logs';

/** What people did, and how the project was changed: lists, single logs and exports. */
export function addLogRoutes(api: PublicApi, parts: ExportParts): void {
  addActivityLogRoutes(api, parts);
  addAdminLogRoutes(api, parts);
}

function addActivityLogRoutes(api: PublicApi, parts: ExportParts): void {
  const scope = 'activity_logs:read';
  const ownerOf = ({ environment }: ApiCall): ChainOwner => ({ kind: 'activity', environmentId: environment.id });
  api.add({
    method: 'GET',
    path: activityPath,
    scope,
    isForPages: true,
    handle: async (call, request, reply) => {
      const query = parseInput(activityLogsQuery, request.query);
      const place = { projectName: call.caller.project.name, environmentName: call.environment.name };
      const page = await listLogs(parts, ownerOf(call), activityFilter(query), { place, query, request, reply });
      return { ...page, data: page.data.map((row) => activityLog(row, query.expand)) };
    },
  });
  api.add({
    method: 'GET',
    path: `${activityPath}/:id`,
    scope,
    isForPages: true,
    handle: async (call, request, reply) => {
      const { expand } = parseInput(activityLogQuery, request.query);
      const { row, recordIds } = await findLog(parts, ownerOf(call), request, reply);
      return activityLog(row, expand, recordIds);
    },
  });
  addErasures(api, parts, { path: activityPath, scope, ownerOf });
  api.add({
    method: 'GET',
    path: `${activityPath}/export`,
    scope,
    isForPages: true,
    handle: async (call, request, reply) => {
      const query = parseInput(activityLogExportQuery, request.query);
      return exportLogs(parts, ownerOf(call), activityFilter(query), { query, call, request, reply });
    },
  });
}

function addAdminLogRoutes(api: PublicApi, parts: ExportParts): void {
  const scope = 'admin_logs:read';
  const ownerOf = ({ caller }: ApiCall): ChainOwner => ({ kind: 'admin', projectId: caller.project.id });
  api.add({
    method: 'GET',
    path: adminPath,
    scope,
    isForPages: true,
    handle: async (call, request, reply) => {
      const query = parseInput(adminLogsQuery, request.query);
      const place = { projectName: call.caller.project.name };
      const page = await listLogs(parts, ownerOf(call), adminFilter(query), { place, query, request, reply });
      return { ...page, data: page.data.map((row) => adminLog(row, query.expand)) };
    },
  });
  api.add({
    method: 'GET',
    path: `${adminPath}/:id`,
    scope,
    isForPages: true,
    handle: async (call, request, reply) => {
      const { expand } = parseInput(adminLogQuery, request.query);
      return adminLog((await findLog(parts, ownerOf(call), request, reply)).row, expand);
    },
  });
  addErasures(api, parts, { path: adminPath, scope, ownerOf });
  api.add({
    method: 'GET',
    path: `${adminPath}/export`,
    scope,
    isForPages: true,
    handle: async (call, request, reply) => {
      const query = parseInput(adminLogExportQuery, request.query);
      return exportLogs(parts, ownerOf(call), adminFilter(query), { query, call, request, reply });
    },
  });
}

interface ErasuresOf {
  readonly path: `/${string}`;
  readonly scope: 'activity_logs:read' | 'admin_logs:read';
  readonly ownerOf: (call: ApiCall) => ChainOwner;
}

/** What was erased of people from a log: who did it, when, and for which reason. */
function addErasures(api: PublicApi, { store, cursors }: ExportParts, { path, scope, ownerOf }: ErasuresOf): void {
  api.add({
    method: 'GET',
    path: `${path}/erasures`,
    scope,
    handle: async (call, request, reply) => {
      const query = parseInput(erasuresQuery, request.query);
      const chain = await findChain(store.db, ownerOf(call));
      const { rows, hasMore, ...page } = await readPage<Erasure>(request, reply, {
        list: `erasures ${chain?.chain ?? ''}`,
        query,
        defaultOrder: 'desc',
        cursors,
        positionOf: ({ sequence }) => sequence,
        read: async ({ direction, after }) =>
          chain
            ? listErasures(store.db, chain, { limit: query.limit, order: direction, after })
            : { rows: [], hasMore: false, last: undefined },
      });
      const { name: environmentName } = path === activityPath ? call.environment : { name: undefined };
      const place = {
        projectName: call.caller.project.name,
        ...(environmentName === undefined ? {} : { environmentName }),
      };
      return { hasMore, data: rows, parameters: echoed(place, query), ...page };
    },
  });
}

interface ListInput {
  readonly place: ListPlace;
  readonly query: PageQuery & Readonly<Record<string, unknown>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function listLogs(
  { store, cursors }: ExportParts,
  owner: ChainOwner,
  filter: LogFilter,
  { place, query, request, reply }: ListInput,
) {
  const chain = await findChain(store.db, owner);
  const { rows, hasMore, ...page } = await readPage<LogRow>(request, reply, {
    list: chain?.chain ?? '',
    query,
    defaultOrder: 'desc',
    cursors,
    positionOf: ({ entry }) => entry.sequence,
    read: async ({ direction, after, isByCursor }) => {
      if (!chain) return { rows: [], hasMore: false, last: undefined };
      const { limit } = query;
      if (direction === 'asc' && after !== undefined) requireKept(cursors, chain, after, filtersOf(request));
      return readLog(store.db, chain, filter, {
        limit,
        order: direction,
        after,
        maxWalked: isByCursor ? maxWalked : undefined,
      });
    },
  });
  return { hasMore, data: rows, parameters: echoed(place, query), ...page };
}

async function findLog({ store }: ExportParts, owner: ChainOwner, request: FastifyRequest, reply: FastifyReply) {
  const { id } = request.params as { readonly id: string };
  const chain = await findChain(store.db, owner);
  const found = chain && (await readRow(store.db, chain, id));
  if (found) {
    reply.header('etag', `"${found.row.hash}"`);
    return found;
  }
  throw cloudError(
    'REQUEST_NOT_FOUND',
    'There is no log with this id.',
    'Check the id; a log may have been removed when its retention was over.',
  );
}

interface WholeRow {
  readonly row: LogRow;
  /** All of them, also those that later rows hold. */
  readonly recordIds: readonly string[];
}

/** An act or a change by its id. */
export async function readRow(db: Store['db'], chain: ChainRecord, id: string): Promise<WholeRow | undefined> {
  const rows = await db
    .selectFrom('auditRows')
    .select(['sequence', 'kind', 'body', 'disclosed', 'hash', 'status'])
    .where('chainId', '=', chain.id)
    .where('id', '=', id)
    .where('sequence', '>=', chain.firstSequence)
    .orderBy('sequence')
    .execute();
  const [row] = await withOutcomes(
    db,
    chain,
    rows.filter(({ kind }) => kind === 'act' || kind === 'admin' || kind === 'further'),
  );
  if (!row) return undefined;
  const own = 'recordIds' in row.entry ? row.entry.recordIds : [];
  const further = rows
    .filter(({ kind }) => kind === 'records')
    .flatMap(({ body }) => addedRecords(JSON.parse(body) as RecordsEntry));
  return { row, recordIds: [...own, ...further] };
}
