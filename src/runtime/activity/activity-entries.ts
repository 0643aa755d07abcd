import {
  type Activity,
  type ActivityAction,
  type ActivityContinuation,
  type ActivityUser,
  activityLimits,
  activityTypes,
} from '#contracts/activity';
import type { ActivityValues } from '#contracts/history';

/** What is known of an act when it begins. Names and ids only: no filters, no search texts. */
export interface ActFacts {
  readonly action: ActivityAction;
  readonly label?: string | undefined;
  readonly collection: string;
  /** `undefined` where the request does not name them: for all records that match, or for a new one. */
  readonly recordIds?: readonly string[] | undefined;
  readonly source: Activity['source'];
  readonly client?: Activity['client'];
  readonly tool?: string | undefined;
  /** Where the person of a marked MCP session has agreed. */
  readonly consent?: Activity['consent'];
  /** Number of the request that somebody granted. */
  readonly approval?: Activity['approval'];
  /** Id of the report of the write that it takes back. */
  readonly undoes?: string | undefined;
  /** Number of the version of the code. */
  readonly codeVersion?: number | undefined;
  readonly user: ActivityUser;
  readonly renderingId: number;
  readonly correlationId: string;
}

/** What is known of it when it ends. */
export interface ActOutcome {
  readonly status: 'completed' | 'failed';
  /** The records of the act, where its facts do not name them. */
  readonly recordIds?: readonly string[] | undefined;
  /** How many records, where only their number is known. */
  readonly recordCount?: number | undefined;
  /** Names of the fields that it set or changed. */
  readonly fields?: readonly string[] | undefined;
  /** The values of the records, where code says that they are kept. */
  readonly values?: ActValues | undefined;
}

export type ActValues = ActivityValues['values'];

/** When the act began, and how long it took; `null` while nobody knows. */
export type ActTimes = Pick<Activity, 'id' | 'occurredAt' | 'durationMs'>;

/** What the platform learns about one act, each entry as JSON: the report, continuations with the ids that do not fit in it, and values. */
export type ActEntries = readonly [report: string, ...others: string[]];

/** Of one entry. With everything else in it, an entry is well below what a batch may hold. */
const maxIdBytes = 256 * 1024;
/** So few ids fit in one entry, whatever they hold: a code unit takes six bytes at most. */
const alwaysFits = Math.floor(maxIdBytes / (6 * activityLimits.recordIdLength + 3));
const maxFieldBytes = 64 * 1024;

/** The entries of an act, everything in them as short as the platform takes it. */
export function entriesOf(facts: ActFacts, times: ActTimes, outcome: ActOutcome | undefined): ActEntries {
  const { nameLength, correlationIdLength } = activityLimits;
  const recordIds = facts.recordIds ?? outcome?.recordIds;
  const [first = [], ...others] = recordIds ? chunksOf(recordIds) : [];
  const report = reportText({
    ...times,
    type: activityTypes[facts.action],
    action: facts.action,
    label: facts.label === undefined ? undefined : safeText(facts.label, nameLength),
    collection: safeText(facts.collection, nameLength),
    recordIds: first,
    recordCount: recordIds?.length ?? outcome?.recordCount ?? null,
    fields: outcome?.fields && fieldNames(outcome.fields),
    source: facts.source,
    client: facts.client,
    tool: facts.tool,
    consent: facts.consent,
    approval: facts.approval,
    undoes: facts.undoes,
    codeVersion: facts.codeVersion,
    user: facts.user,
    renderingId: facts.renderingId,
    correlationId: safeText(facts.correlationId, correlationIdLength),
    status: outcome?.status ?? 'pending',
  });
  const continuations = others.map((ids, index) =>
    JSON.stringify({ id: times.id, part: index + 1, recordIds: ids } satisfies ActivityContinuation),
  );
  const { values } = outcome ?? {};
  if (!values) return [report, ...continuations];
  return [report, ...continuations, JSON.stringify({ id: times.id, values } satisfies ActivityValues)];
}

/** The JSON of each person and each program, which is the same in many reports. */
const texts = new WeakMap<object, string>();

function textOf(who: object): string {
  const known = texts.get(who);
  if (known !== undefined) return known;
  const text = JSON.stringify(who);
  texts.set(who, text);
  return text;
}

/** The JSON of a report. Put together from its parts it takes half the time: each request makes one. */
function reportText(report: Activity): string {
  const { id, occurredAt, durationMs, type, action, label, fields, renderingId, status } = report;
  const named = label === undefined ? '' : `"label":${JSON.stringify(label)},`;
  const changed = fields === undefined ? '' : `"fields":${JSON.stringify(fields)},`;
  const client = report.client === undefined ? '' : `"client":${textOf(report.client)},`;
  const tool = report.tool === undefined ? '' : `"tool":"${report.tool}",`;
  const agreed = report.consent === undefined ? '' : `"consent":"${report.consent}",`;
  const approved = report.approval === undefined ? '' : `"approval":${report.approval},`;
  const undoes = report.undoes === undefined ? '' : `"undoes":"${report.undoes}",`;
  const version = report.codeVersion === undefined ? '' : `"codeVersion":${report.codeVersion},`;
  return (
    `{"id":"${id}","occurredAt":"${occurredAt}","durationMs":${durationMs},"type":"${type}","action":"${action}",${named}` +
    `"collection":${JSON.stringify(report.collection)},"recordIds":${JSON.stringify(report.recordIds)},` +
    `"recordCount":${report.recordCount},${changed}"source":"${report.source}",${client}${tool}${agreed}${approved}${undoes}${version}"user":${textOf(report.user)},` +
    `"renderingId":${renderingId},"correlationId":${JSON.stringify(report.correlationId)},"status":"${status}"}`
  );
}

/** The ids in lists that one entry holds each. */
function chunksOf(recordIds: readonly string[]): string[][] {
  const { recordIdLength, recordIds: maxIds } = activityLimits;
  if (recordIds.length <= alwaysFits) return [recordIds.map((id) => safeText(id, recordIdLength))];
  const chunks: string[][] = [];
  let chunk: string[] = [];
  let bytes = 0;
  for (const recordId of recordIds) {
    const id = safeText(recordId, recordIdLength);
    const idBytes = jsonBytes(id);
    if (chunk.length === maxIds || (chunk.length > 0 && bytes + idBytes > maxIdBytes)) {
      chunks.push(chunk);
      chunk = [];
      bytes = 0;
    }
    chunk.push(id);
    bytes += idBytes;
  }
  chunks.push(chunk);
  return chunks;
}

/** No table has enough columns, with names long enough, that any is left out. */
function fieldNames(fields: readonly string[]): string[] {
  let bytes = 0;
  return fields
    .slice(0, activityLimits.fields)
    .map((name) => safeText(name, activityLimits.nameLength))
    .filter((name) => {
      bytes += jsonBytes(name);
      return bytes <= maxFieldBytes;
    });
}

/** With the comma behind it. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) + 1;
}

/** A text that every store takes, of at most `length` code units: without U+0000 and without halves of surrogate pairs. */
export function safeText(text: string, length: number): string {
  const stored = text.includes('\0') ? text.replaceAll('\0', '') : text;
  const whole = stored.isWellFormed() ? stored : stored.toWellFormed();
  if (whole.length <= length) return whole;
  const cut = whole.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Times in ISO 8601, to the millisecond. The part down to the second is made once for all of a second. */
export function createIsoTimes(): (ms: number) => string {
  let second = Number.NaN;
  let upToSecond = '';
  return (ms) => {
    const wanted = Math.floor(ms / 1_000);
    if (wanted !== second) {
      upToSecond = new Date(wanted * 1_000).toISOString().slice(0, -'000Z'.length);
      second = wanted;
    }
    return `${upToSecond}${String(Math.floor(ms) - wanted * 1_000).padStart(3, '0')}Z`;
  };
}
