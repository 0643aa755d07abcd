import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Genesis } from '#contracts/audit/chain';
import type { RowProof } from '#contracts/audit/row-proof';
import { readSegment, type Segment } from '#contracts/audit/segment';
import { verifierOf } from '#contracts/audit/signing';
import type { SegmentStart } from '#contracts/audit/verify-segment';
import { noParameters } from '#contracts/public-api/parameters';
import {
  cosignatureSchema,
  type KeptCosignature,
  monthParameter,
  type RegisterPage,
  registerQuery,
  type Segments,
  type SegmentWithProof,
  segmentQuery,
  segmentRowsQuery,
} from '#contracts/public-api/segments';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { asciiJson } from '#kernel/json/ascii-json';
import type { Clock } from '#kernel/ports/clock';
import { type ChainOwner, type ChainRecord, findChain } from '../audit/audit-chains.ts';
import type { AuditSigner } from '../audit/audit-signer.ts';
import { keepCosignature } from '../audit/cosignatures.ts';
import { exportChain } from '../audit/export-chain.ts';
import { proveAct } from '../audit/prove-act.ts';
import { registerLeaves } from '../audit/register.ts';
import { continuation, listSegments, noteOfMonth, type SegmentParts } from '../audit/segments.ts';
import type { ApiCall, PublicApi } from '../public-api/public-api.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import type { ExportParts } from './export-logs.ts';
import { activityPath, adminPath } from './log-routes.ts';

const segmentsPath = '/project/:projectName/integrity/segments/:chain';
const rowsPerPart = 5_000;

/** The segments of logs, the proofs of single rows, and what other machines have signed. */
export function addSegmentRoutes(api: PublicApi, parts: ExportParts): void {
  addSegmentLists(api, parts);
  const activityOf = ({ environment }: ApiCall): ChainOwner => ({ kind: 'activity', environmentId: environment.id });
  const adminOf = ({ caller }: ApiCall): ChainOwner => ({ kind: 'admin', projectId: caller.project.id });
  for (const [path, scope, ownerOf] of [
    [activityPath, 'activity_logs:read', activityOf],
    [adminPath, 'admin_logs:read', adminOf],
  ] as const) {
    api.add({
      method: 'GET',
      path: `${path}/:id/proof`,
      scope,
      handle: async (call, request): Promise<RowProof> => {
        parseInput(noParameters, request.query);
        const chain = await findChain(parts.store.db, ownerOf(call));
        const { id } = request.params as { readonly id: string };
        const proof = chain && (await proveAct(signingParts(parts), chain, id));
        if (proof) return proof;
        throw absent('There is no log with this id.', 'Check the id; a log may have been removed by its retention.');
      },
    });
    api.add({
      method: 'GET',
      path: `${path}/segments/:month`,
      scope,
      handle: async (call, request, reply) => {
        const { after } = parseInput(segmentRowsQuery, request.query);
        const chain = await findChain(parts.store.db, ownerOf(call));
        return sendRows(parts, chain, { month: monthOf(request), after }, reply);
      },
    });
  }
}

function addSegmentLists(api: PublicApi, parts: ExportParts): void {
  const { store } = parts;
  api.add({
    method: 'GET',
    path: segmentsPath,
    scope: undefined,
    isForPages: true,
    handle: async (call, request): Promise<Segments> => {
      parseInput(noParameters, request.query);
      const chain = await chainInPath(store, call, request);
      return { object: 'segments', chain: chain.chain, segments: [...(await listSegments(store.db, chain))] };
    },
  });
  api.add({
    method: 'GET',
    path: `${segmentsPath}/:month`,
    scope: undefined,
    handle: async (call, request): Promise<SegmentWithProof> => {
      const { from } = parseInput(segmentQuery, request.query);
      const chain = await chainInPath(store, call, request);
      const { note, segment } = await segmentOf(signingParts(parts), chain, monthOf(request));
      const consistency = from === undefined ? null : await continuation(store.db, chain, segment, from);
      return { object: 'segment', note, consistency: consistency && [...consistency] };
    },
  });
  api.add({
    method: 'GET',
    path: '/project/:projectName/integrity/register',
    scope: undefined,
    isForPages: true,
    handle: async ({ caller }, request): Promise<RegisterPage> => {
      const { after = 0 } = parseInput(registerQuery, request.query);
      const { checkpoints } = requireSigner(parts);
      const found = await registerLeaves(store.db, after);
      const signedCheckpoint = await checkpoints.signRegister();
      if (!found || signedCheckpoint === undefined) throw noRegister();
      const { genesis, leaves } = found;
      const cosigned = await cosignedRegister(store, caller.project.id);
      return { object: 'register', genesis, leaves: [...leaves], signedCheckpoint, cosigned: [...cosigned] };
    },
  });
  api.add({
    method: 'POST',
    path: '/project/:projectName/integrity/cosignatures',
    scope: 'cosignatures:write',
    handle: async ({ caller }, request): Promise<KeptCosignature> => {
      const input = parseInput(cosignatureSchema, request.body);
      const projectId = caller.project.id;
      const project = { projectId, findChain: (chain: string) => findChainOfProject(store, projectId, chain) };
      const { chain, month, size } = await keepCosignature(signingParts(parts), project, input);
      return { object: 'cosignature', chain, month, size };
    },
  });
}

/** A segment as lines of JSON: what it is, then its rows behind `after`. */
async function sendRows(
  parts: ExportParts,
  chain: ChainRecord | undefined,
  { month, after }: { readonly month: string; readonly after: number | undefined },
  reply: FastifyReply,
) {
  if (!chain) throw noSegment(month);
  const { note, segment } = await segmentOf(signingParts(parts), chain, month);
  if (segment.first < chain.firstSequence) {
    throw absent(
      `Rows of ${month} were removed, because their retention was over.`,
      'Use the copy of the segment that you have archived before.',
    );
  }
  const behind = Math.min(segment.last, Math.max(segment.first - 1, after ?? 0));
  const to = Math.min(segment.last, behind + rowsPerPart);
  const start: SegmentStart = {
    object: 'segment',
    format: 1,
    genesis: JSON.parse(chain.genesis) as Genesis,
    note,
    keys: [verifierOf(signingParts(parts).key).verifier],
  };
  const lines = async function* () {
    yield `${asciiJson(start)}\n`;
    for await (const slice of exportChain(parts.store.db, chain, { after: behind, to })) {
      yield `${slice.lines.join('\n')}\n`;
    }
  };
  return reply.type('application/x-ndjson').send(Readable.from(lines(), { objectMode: false, highWaterMark: 1 }));
}

async function segmentOf(
  parts: SegmentParts,
  chain: ChainRecord,
  month: string,
): Promise<{ readonly note: string; readonly segment: Segment }> {
  const note = await noteOfMonth(parts, chain, month);
  const segment = note === undefined ? undefined : readSegment(note);
  if (note === undefined || !segment) throw noSegment(month);
  return { note, segment };
}

function monthOf(request: FastifyRequest): string {
  return parseInput(z.object({ month: monthParameter }), request.params).month;
}

async function chainInPath(store: Store, { caller }: ApiCall, request: FastifyRequest): Promise<ChainRecord> {
  const { chain } = request.params as { readonly chain: string };
  const found = await findChainOfProject(store, caller.project.id, chain);
  if (found) return found;
  throw absent('The project has no log with this id.', 'Take the id from the answer of "integrity".');
}

function findChainOfProject({ db }: Store, projectId: number, chain: string): Promise<ChainRecord | undefined> {
  return db
    .selectFrom('auditChains')
    .selectAll()
    .where('chain', '=', chain)
    .where('projectId', '=', projectId)
    .executeTakeFirst();
}

async function cosignedRegister({ db }: Store, projectId: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('auditRegisterCosignatures')
    .select('note')
    .where('projectId', '=', projectId)
    .orderBy('cosigner')
    .execute();
  return rows.map(({ note }) => note);
}

function signingParts(parts: ExportParts): SegmentParts & { readonly clock: Clock } {
  const { store, clock } = parts;
  return { store, clock, key: requireSigner(parts).key };
}

function requireSigner({ signer }: ExportParts): AuditSigner {
  if (signer) return signer;
  throw absent('This platform has no key, so that it signs no segments.', 'Start it with a platform key.');
}

function noRegister(): CloudError {
  return absent('The platform has no log yet.', 'Ask again when somebody has done something.');
}

function noSegment(month: string): CloudError {
  return absent(`The log has no rows of ${month}.`, 'Choose a month of the list of segments.');
}

function absent(what: string, nextStep: string): CloudError {
  return cloudError('REQUEST_NOT_FOUND', what, nextStep);
}
