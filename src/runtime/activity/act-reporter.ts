import { type ActivityAction, type ActivityUser, activityLimits, activityTypes } from '#contracts/activity';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { maxRecordsWithValues, maxValueBytes, type UnkeptActReason } from '#contracts/history';
import type { ToolName } from '#contracts/mcp';
import { findCollection, type ModelView } from '../model/compiled-model.ts';
import type { ValueNotes, WriteNotes } from '../records/calls/call-context.ts';
import { type ActFacts, type ActOutcome, type ActValues, safeText } from './activity-entries.ts';
import type { ActivityOutbox } from './activity-outbox.ts';

/** What somebody asks for through a surface: names and ids, and never a value. */
export interface Act {
  readonly action: ActivityAction;
  /** Name of the action or of the relation. */
  readonly label?: string | undefined;
  /** Published name, as the request gives it. */
  readonly collection: string | undefined;
  /** Packed ids of the records the request names; `undefined` where it is about all that match, or makes one. */
  readonly recordIds?: readonly string[] | undefined;
  /** Id of the report of the write that it takes back. */
  readonly undoes?: string | undefined;
}

/** What the list of a collection is reported as. The report does not hold the searched text, and no filter. */
export function listAction(search: string | undefined, isFiltered: boolean): ActivityAction {
  if (search?.trim()) return 'search';
  return isFiltered ? 'filter' : 'index';
}

/** Who asks, and how. */
export interface ActRequest {
  readonly source: ActFacts['source'];
  /** The MCP tool that was called. */
  readonly tool?: ToolName | undefined;
  readonly consent?: ActFacts['consent'];
  readonly approval?: ActFacts['approval'];
  readonly claims: AgentTokenClaims;
  readonly correlationId: string;
  readonly model: ModelView;
}

/** Says how an act ended: its status, and what only its end tells. May be called later, while an answer is sent. */
export type EndAct = (outcome: Pick<ActOutcome, 'status' | 'recordCount'>) => void;

/** Decides for every surface what is reported. */
export interface ActReporter {
  /**
   * Carry out an act and report it, with its outcome. The report of a write is in a file before this resolves. Acts on unknown
   * collections are not reported.
   *
   * @param run gets a place for notes where the act is a write that is reported.
   * @param conclude says how the act ended once it has a result. Default: it is completed.
   * @throws `ACTIVITY_NOT_RECORDED` before anything is done, for a write that must be recorded and cannot.
   */
  carryOut<Result>(
    act: Act,
    by: ActRequest,
    run: (notes: WriteNotes | undefined) => Promise<Result>,
    conclude?: (result: Result, end: EndAct) => void,
  ): Promise<Result>;
}

/** @param outbox `undefined` where nothing is reported. */
export function createActReporter(outbox: ActivityOutbox | undefined): ActReporter {
  // Verified tokens are remembered, so that many requests share their claims.
  const subjects = new WeakMap<AgentTokenClaims, ActSubject>();
  const subjectOf = (claims: AgentTokenClaims): ActSubject => {
    const known = subjects.get(claims);
    if (known) return known;
    const subject = describedSubject(claims);
    subjects.set(claims, subject);
    return subject;
  };
  return {
    carryOut: async (act, by, run, conclude = (_result, end) => end({ status: 'completed' })) => {
      const collection = outbox && findCollection(by.model, act.collection);
      if (!outbox || !collection) return run(undefined);
      const begun = outbox.begin({
        action: act.action,
        label: act.label,
        undoes: act.undoes,
        collection: collection.name,
        recordIds: act.recordIds,
        source: by.source,
        ...subjectOf(by.claims),
        tool: by.tool,
        consent: by.consent,
        approval: by.approval,
        codeVersion: by.model.codeVersion,
        renderingId: by.claims.renderingId,
        correlationId: by.correlationId,
      });
      const note = begun instanceof Promise ? await begun : begun;
      const isWrite = activityTypes[act.action] === 'write';
      const { notes, outcomeOf } = isWrite ? takeNotes(act) : noNotes;
      let result: Awaited<ReturnType<typeof run>>;
      try {
        result = await run(notes);
      } catch (error) {
        await note({ status: 'failed' });
        throw error;
      }
      const kept: (Promise<void> | void)[] = [];
      conclude(result, (end) => void kept.push(note(outcomeOf(end))));
      if (isWrite) await Promise.all(kept);
      return result;
    },
  };
}

interface ActNotes {
  readonly notes: WriteNotes | undefined;
  outcomeOf(end: Parameters<EndAct>[0]): ActOutcome;
}

const noNotes: ActNotes = { notes: undefined, outcomeOf: (end) => end };

/** A write that failed has changed nothing, so its notes do not count. */
function takeNotes({ recordIds }: Act): ActNotes {
  const noted: { recordIds?: readonly string[]; fields?: readonly string[] } = {};
  const { values, taken } = takeValues();
  const records = (ids: readonly string[]) => {
    noted.recordIds = ids;
  };
  const fields = (names: readonly string[]) => {
    noted.fields = names;
  };
  return {
    notes: recordIds ? { fields, values } : { fields, records, values },
    outcomeOf: (end) => (end.status === 'completed' ? { ...end, ...noted, values: taken() } : end),
  };
}

/** Takes the values of the records of one act, as many as one report has. */
function takeValues(): { readonly values: ValueNotes; taken(): ActValues | undefined } {
  const records: Extract<ActValues, { records: unknown }>['records'] = [];
  let bytes = 0;
  let unkept: UnkeptActReason | undefined;
  const notKept = (reason: UnkeptActReason) => {
    unkept ??= reason;
    records.length = 0;
  };
  return {
    values: {
      notKept,
      kept: ({ recordId, ...values }) => {
        if (unkept) return;
        const record = { recordId: safeText(recordId, activityLimits.recordIdLength), ...values };
        bytes += Buffer.byteLength(JSON.stringify(record));
        if (records.length === maxRecordsWithValues || bytes > maxValueBytes) notKept('tooMany');
        else records.push(record);
      },
    },
    taken: () => {
      if (unkept) return { unkept };
      return records.length > 0 ? { records } : undefined;
    },
  };
}

/** Who did something, and with which program. */
type ActSubject = Pick<ActFacts, 'user' | 'client'>;

/** An administrator who sees what somebody else sees is who reads, by way of the console. */
function describedSubject(claims: AgentTokenClaims): ActSubject {
  const { impersonator } = claims;
  const text = (value: string) => safeText(value, activityLimits.nameLength);
  const who = impersonator ?? claims;
  const user: ActivityUser = {
    id: who.id,
    email: text(who.email),
    name: text(`${who.firstName} ${who.lastName}`.trim()),
    team: text(who.team),
    role: text(who.role),
  };
  const client = impersonator ? impersonatedBy(claims) : claims.client;
  return client ? { user, client: { id: text(client.id), name: text(client.name) } } : { user };
}

/** What the log names as the program: the same for all that was read in the view of one person. */
function impersonatedBy({ id, email }: AgentTokenClaims): { readonly id: string; readonly name: string } {
  return { id: `impersonation-${id}`, name: `Console, as ${email}` };
}
