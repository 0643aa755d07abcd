import * as z from 'zod';
import { activityTypes } from '#contracts/activity';
import { type ShownWrite, shownHistorySchema, type UndoTies, undoTiesSchema } from '#contracts/history';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { ActivityPage, LogParameters } from '#platform-client/audit-client';
import type { FlowContext } from '../../flow-context.ts';
import {
  type AgentClient,
  agentErrorOf,
  createAgentClient,
  jsonOf,
  segmentOf,
  waitForTurns,
} from '../../run/agent-client.ts';
import { type AgentOfProject, withAgentOfSession } from '../../run/agent-of-project.ts';
import { printToken } from '../../tokens/print-token.ts';
import { connectToLog, type LogAccess } from '../connect-to-audit-log.ts';
import {
  type LeftWrite,
  planOfRecord,
  type RecordPlace,
  type RecordPlan,
  type RecordsNow,
  recordKey,
  type TiesOfWrites,
  type UndoConflict,
  undoConflicts,
  type WriteToUndo,
} from './plan-undo.ts';

/** What to take back: one act, or all that somebody or a version of the code has written. */
export type UndoTarget =
  | { readonly id: string }
  | {
      readonly user?: string | undefined;
      /** Id or name of the program. */
      readonly client?: string | undefined;
      /** Number of the version of the code. */
      readonly version?: number | undefined;
      /** Milliseconds since the epoch. Default: from the first row on, for a version only. */
      readonly since: number | undefined;
    };

interface UndoInput extends AgentOfProject {
  /** Whose agent does it. Default: that of the session that serves the project. */
  readonly environment: string | undefined;
  /** Address of another agent of the environment. */
  readonly agentUrl: string | undefined;
  readonly target: UndoTarget;
  /** Whether a deleted record may come back without the values that are not kept. */
  readonly acceptsLoss: boolean;
  readonly confirm: (plan: UndoPlan) => Promise<boolean>;
}

export interface UndoPlan {
  /** Name of the environment. */
  readonly environment: string;
  /** The newest first, in which order they are taken back. */
  readonly writes: readonly WriteToUndo[];
  /** What cannot be taken back. */
  readonly left: readonly LeftWrite[];
  /** Writes between the first and the last one of the version that name no version, so that nobody knows whether they belong to it. */
  readonly unversioned: number;
}

export interface UndoneWrites {
  readonly isConfirmed: boolean;
  /** Whether a write failed after others were taken back. What follows it stays. */
  readonly isStopped: boolean;
  readonly undone: readonly WriteToUndo[];
  /** What was not taken back, with the reason. */
  readonly left: readonly LeftWrite[];
  readonly unversioned: number;
}

type Act = ActivityPage['data'][number];

const actsPerPage = 100;
/** More of them at once are too many to look at. */
const maxActs = 1_000;
const writesPerPage = 100;

/**
 * Take back what somebody wrote, by writes of the person that the session serves, or of whoever is signed in where an environment is
 * named. All conflicts are looked for first, and one is enough that nothing is written. Then the newest write is taken back first.
 *
 * @throws `RECORD_CHANGED` with all conflicts, `REQUEST_UNPROCESSABLE` where one act was named and cannot be taken back.
 */
export async function undoWrites(context: FlowContext, input: UndoInput): Promise<UndoneWrites> {
  const { folder, environment, target, acceptsLoss, confirm } = input;
  const access = await connectToLog(context, { folder, environment, isAdmin: false });
  const acts = await actsOf(access, target);
  return withAgentToUndo(context, input, async (impatient) => {
    const agent = waitForTurns(impatient, context.clock);
    const plan = await planOf(agent, acts, acceptsLoss);
    const [first] = plan.left;
    if ('id' in target && first) throw notUndoable(first);
    const now = await recordsNow(agent, plan.writes);
    const ties = await tiesOf(agent, plan.writes);
    const conflicts = undoConflicts(plan.writes, { now, later: plan.later, ties });
    if (conflicts.length > 0) throw inConflict(conflicts);
    const { writes, left } = plan;
    const unversioned = await countUnversioned(access, target, acts);
    const asked = { environment: access.log.environment ?? '', writes, left, unversioned };
    if (writes.length === 0 || !(await confirm(asked))) {
      return { isConfirmed: false, isStopped: false, undone: [], left, unversioned };
    }
    return { ...(await carryOut(agent, plan, acceptsLoss)), unversioned };
  });
}

const tokenSeconds = 900;

async function withAgentToUndo<Result>(
  context: FlowContext,
  input: UndoInput,
  ask: (agent: AgentClient) => Promise<Result>,
): Promise<Result> {
  const { folder, environment, agentUrl, as } = input;
  if (environment === undefined && agentUrl === undefined) {
    return withAgentOfSession(context, input, ask, 'Name the environment of a deployed agent: --env production');
  }
  if (as !== undefined) {
    throw cloudError(
      'USAGE_INVALID',
      'The agent of an environment knows who is signed in, and takes no --as.',
      'Leave --as out, or leave out --env and --agent-url to ask the agent of the session.',
    );
  }
  const asked = { folder, environment, agentUrl, audience: 'agent', readOnly: false } as const;
  const { url, token } = await printToken(context, { ...asked, expiresInSeconds: tokenSeconds });
  return ask(createAgentClient(context.http, { url, token }));
}

/** The newest first. */
async function actsOf({ client, log }: LogAccess, target: UndoTarget): Promise<readonly Act[]> {
  if ('id' in target) return [await client.activityLog(log, target.id, { expand: 'status,integrity,changes' })];
  const { user: userEmail, client: program, version: codeVersion, since } = target;
  const from = since === undefined ? undefined : new Date(since).toISOString();
  return writesOf({ client, log }, { userEmail, client: program, codeVersion, 'createdAt.gte': from });
}

/** The writes that fulfil all conditions, the newest first. */
async function writesOf(
  { client, log }: Pick<LogAccess, 'client' | 'log'>,
  conditions: LogParameters,
): Promise<readonly Act[]> {
  const acts: Act[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: ActivityPage = await client.activityLogs(log, {
      ...{ limit: actsPerPage, type: 'write', include: 'all', expand: 'status,source,integrity,changes' },
      ...conditions,
      cursor,
    });
    acts.push(...page.data);
    if (acts.length > maxActs) throw tooMany();
    if (page.nextCursor === null || !page.hasMore) return acts;
    cursor = page.nextCursor;
  }
}

/** Older hosts name no version, and no host is there where an application embeds the agent. Nobody guesses which version it was. */
async function countUnversioned(access: LogAccess, target: UndoTarget, acts: readonly Act[]): Promise<number> {
  const [first, last] = [acts.at(-1), acts[0]];
  if ('id' in target || target.version === undefined || !first || !last) return 0;
  const { user: userEmail, client } = target;
  const between = { 'createdAt.gte': first.createdAt, 'createdAt.lte': last.createdAt };
  const writes = await writesOf(access, { userEmail, client, ...between });
  return writes.filter(({ action, codeVersion }) => action in activityTypes && codeVersion === null).length;
}

async function planOf(agent: AgentClient, acts: readonly Act[], acceptsLoss: boolean): Promise<RecordPlan> {
  const tooLarge: LeftWrite[] = [];
  const ofRecords = new Map<string, { readonly record: RecordPlace; readonly sequences: Set<number> }>();
  for (const { collection, sequence = 0, status, recordIds = [], recordCount } of acts) {
    if (status === 'failed' || !collection) continue;
    if ((recordCount ?? 0) > recordIds.length) {
      tooLarge.push({ collection: collection.name, recordId: '', sequence, why: 'It is about too many records.' });
      continue;
    }
    for (const recordId of recordIds) {
      const record = { collection: collection.name, recordId };
      const known = ofRecords.get(recordKey(record)) ?? { record, sequences: new Set<number>() };
      known.sequences.add(sequence);
      ofRecords.set(recordKey(record), known);
    }
  }
  const plans: RecordPlan[] = [];
  for (const { record, sequences } of ofRecords.values()) {
    plans.push(await planAtAgent(agent, record, sequences, acceptsLoss));
  }
  return {
    writes: plans.flatMap(({ writes }) => writes).sort(newestFirst),
    left: [...tooLarge, ...plans.flatMap(({ left }) => left)].sort(newestFirst),
    later: plans.flatMap(({ later }) => later),
  };
}

function newestFirst(one: { readonly sequence: number }, other: { readonly sequence: number }): number {
  return other.sequence - one.sequence;
}

/** @param sequences The rows of the writes to take back. */
async function planAtAgent(
  agent: AgentClient,
  record: RecordPlace,
  sequences: ReadonlySet<number>,
  acceptsLoss: boolean,
): Promise<RecordPlan> {
  try {
    const history = await historySince(agent, record, Math.min(...sequences));
    return planOfRecord(record, sequences, { ...history, acceptsLoss });
  } catch (error) {
    if (!isCloudError(error)) throw error;
    const left = [...sequences].map((sequence) => ({ ...record, sequence, why: error.message }));
    return { writes: [], left, later: [] };
  }
}

/** The writes to a record from a row on, the newest first. */
async function historySince(agent: AgentClient, { collection, recordId }: RecordPlace, since: number) {
  const path = `/_internal/history/${segmentOf(collection)}/${segmentOf(recordId)}`;
  const writes: ShownWrite[] = [];
  let readOnly: readonly string[] | undefined;
  for (let before: number | null | undefined; before !== null && (before ?? since + 1) > since; ) {
    const query = { limit: String(writesPerPage), ...(before === undefined ? {} : { before: String(before) }) };
    const page = shownHistorySchema.parse(await agent.json({ method: 'GET', path, query }));
    writes.push(...page.writes.filter(({ sequence }) => sequence >= since));
    ({ next: before, readOnly } = page);
  }
  return { writes, readOnly };
}

const recordSchema = z.object({ data: z.object({ attributes: z.record(z.string(), z.unknown()) }) });

async function recordsNow(agent: AgentClient, writes: readonly WriteToUndo[]): Promise<RecordsNow> {
  const records = new Map<string, Readonly<Record<string, unknown>> | null>();
  for (const write of writes) {
    const key = recordKey(write);
    if (records.has(key)) continue;
    const path = `/${segmentOf(write.collection)}/${segmentOf(write.recordId)}`;
    const response = await agent.send({ method: 'GET', path, query: { timezone: 'UTC' } });
    if (response.status >= 400 && response.status !== 404) throw agentErrorOf(response);
    records.set(key, response.status === 404 ? null : recordSchema.parse(jsonOf(response)).data.attributes);
  }
  return records;
}

/** What foreign keys have to do with each write. Older agents do not tell. */
async function tiesOf(agent: AgentClient, writes: readonly WriteToUndo[]): Promise<TiesOfWrites> {
  const ties = new Map<WriteToUndo, UndoTies>();
  for (const write of writes) {
    const path = undoPath(write);
    const response = await agent.send({ method: 'GET', path, query: { sequence: String(write.sequence) } });
    if (response.status === 404 || response.status === 405) continue;
    if (response.status >= 400) throw agentErrorOf(response);
    ties.set(write, undoTiesSchema.parse(jsonOf(response)));
  }
  return ties;
}

function undoPath({ collection, recordId }: RecordPlace): string {
  return `/_internal/history/${segmentOf(collection)}/${segmentOf(recordId)}/undo`;
}

/** The agent compares each record again, so a write that comes in between ends this. */
async function carryOut(
  agent: AgentClient,
  plan: RecordPlan,
  acceptsLoss: boolean,
): Promise<Omit<UndoneWrites, 'unversioned'>> {
  const undone: WriteToUndo[] = [];
  for (const [index, write] of plan.writes.entries()) {
    const { sequence } = write;
    const path = undoPath(write);
    try {
      await agent.json({ method: 'POST', path, body: { data: { attributes: { sequence, acceptsLoss } } } });
      undone.push(write);
    } catch (error) {
      if (!isCloudError(error)) throw error;
      const isKnown = error.safeDetails?.['status'] !== undefined;
      if (undone.length === 0 && isKnown) throw error;
      const rest = plan.writes.slice(index + 1).map((each) => leftAs(each, 'An earlier one failed.'));
      const why = isKnown ? error.message : `Nobody knows whether it was taken back: ${error.message}`;
      return { isConfirmed: true, isStopped: true, undone, left: [leftAs(write, why), ...rest, ...plan.left] };
    }
  }
  return { isConfirmed: true, isStopped: false, undone, left: plan.left };
}

function leftAs({ collection, recordId, sequence }: WriteToUndo, why: string): LeftWrite {
  return { collection, recordId, sequence, why };
}

function inConflict(conflicts: readonly UndoConflict[]): CloudError {
  const told = conflicts.map(({ collection, recordId, problem }) => `${collection} ${recordId}: ${problem}`);
  return cloudError(
    'RECORD_CHANGED',
    `Nothing was taken back, because other writes stand in the way. ${told.join(' ')}`,
    'Take the later writes back first, or write the values yourself.',
    { details: { conflicts: conflicts.map((each) => ({ ...each })) } },
  );
}

function notUndoable({ collection, recordId, why }: LeftWrite): CloudError {
  return cloudError(
    'REQUEST_UNPROCESSABLE',
    `The write to ${collection} ${recordId} cannot be taken back. ${why}`,
    'Look at the history of the record in the console, and write the values yourself.',
  );
}

function tooMany(): CloudError {
  return cloudError('USAGE_INVALID', `There are more than ${maxActs} such writes.`, 'Name a later time after --since.');
}
