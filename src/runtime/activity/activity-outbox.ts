import path from 'node:path';
import { activityTypes, maxActivitiesPerBatch } from '#contracts/activity';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { FileSystem } from '#kernel/ports/file-system';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { Timers } from '#kernel/ports/timers';
import { nodeFileSystem } from '#node/files/node-file-system';
import { environmentDigest } from '#node/system/digest';
import { systemTimers } from '#node/system/system-timers';
import { type ActEntries, type ActFacts, type ActOutcome, createIsoTimes, entriesOf } from './activity-entries.ts';
import { type ActivityPlatform, type ActivitySender, createActivitySender } from './activity-sender.ts';
import { ActivitySpool } from './activity-spool.ts';
import { adoptLeft } from './adopt-left-reports.ts';
import { createPacedWarnings, type PacedWarning } from './paced-warnings.ts';
import { createSpoolFolder, type SpoolFolder } from './spool-folder.ts';
import { type Noted, notedOf } from './spool-segment.ts';

/** Notes how an act ended. Where it returns a promise, the answer waits for it: the report is in a file then. It never rejects. */
type NoteOutcome = (outcome: ActOutcome) => Promise<void> | void;

/** Reports to the platform what people do. Requests do not wait until the platform has the report. */
export interface ActivityOutbox {
  /**
   * An act begins. A write that must be recorded waits here until it is in a file. So does a write whose report could not be
   * kept, because there is no room or files could not be written before. Writes of the MCP server must always be recorded.
   *
   * @throws `ACTIVITY_NOT_RECORDED` when the write cannot be recorded.
   */
  begin(facts: ActFacts): NoteOutcome | Promise<NoteOutcome>;
  /** Whether a write of the REST API is refused that cannot be recorded, from now on. */
  require(isRequired: boolean): void;
  /** Start to send, including the files that ended agents left. Calling it again does nothing. */
  start(): void;
  /** Write everything down, and send what can be sent within `drainMs`. What is left is sent by the next start. */
  stop(drainMs: number): Promise<void>;
}

export interface ActivityOutboxOptions {
  readonly platform: ActivityPlatform;
  /** Agents may share it. What waits in it is sent by an agent of the same environment and platform only. */
  readonly folder: string;
  readonly envSecret: string;
  /** Address of the platform. */
  readonly serverUrl: string;
  /** How much may wait. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** Whether a write of the REST API is recorded before it begins. Default false. */
  readonly isRequired?: boolean | undefined;
  /** Whether the report of a write is in a file before its answer. Default true. */
  readonly durableWrites?: boolean | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly fs?: FileSystem;
  readonly timers?: Timers;
}

const defaultMaxBytes = 16 * 1024 * 1024;
const renewMs = 10_000;
/** How often the outbox looks at what waits. What it sees a second time is written down, so at the latest after a tenth of a second. */
const lookMs = 50;

export function createActivityOutbox(options: ActivityOutboxOptions): ActivityOutbox {
  const { platform, clock, random, durableWrites = true, fs = nodeFileSystem, timers = systemTimers } = options;
  const warn = createPacedWarnings(options.logger, clock);
  const root = path.join(options.folder, environmentDigest(options.envSecret, options.serverUrl));
  const folder = createSpoolFolder({ root, name: random.uuid(), fs, clock });
  const isoTime = createIsoTimes();
  let isRequired = options.isRequired === true;
  const spool = openSpool(folder, options, () => isRequired, warn);
  const entries = ({ facts, occurredAt, durationMs, outcome }: EndedAct, id: string) =>
    entriesOf(facts, { id, occurredAt: isoTime(occurredAt), durationMs }, outcome);
  const gathered = gatherActs({
    timers,
    spool,
    encode: (act) => notedOf(entries(act, random.orderedUuid())),
    wake: () => sender?.wake(),
  });
  const writes = recordWrites({ spool, gathered, entries, random, timers, wake: () => sender?.wake() });
  let sender: ActivitySender | undefined;
  let adopting: Promise<void> | undefined;
  let cancelAdopting: (() => void) | undefined;

  const adopt = () => {
    adopting = adoptLeft(folder, spool, warn).then(() => {
      sender?.wake();
      cancelAdopting = timers.after(renewMs, adopt);
    });
  };

  return {
    begin: (facts) => {
      const act = begunNow(facts, clock);
      const isWrite = activityTypes[facts.action] === 'write';
      const isKept = isWrite && durableWrites;
      const mustBeRecorded = isWrite && (isRequired || facts.source === 'mcp');
      if (mustBeRecorded || (isKept && !spool.canKeep)) return writes.recordFirst(act);
      return isKept ? writes.keep(act) : (outcome) => gathered.add(act.ended(outcome));
    },
    require: (wanted) => {
      isRequired = wanted;
    },
    start: () => {
      if (sender) return;
      sender = createActivitySender({ spool, platform, timers, random, warn, dropsRefused: () => !isRequired });
      adopt();
    },
    stop: async (drainMs) => {
      if (!sender) return;
      const deadline = AbortSignal.timeout(Math.max(0, Math.round(drainMs)));
      cancelAdopting?.();
      await adopting;
      cancelAdopting?.();
      await gathered.flush();
      await sender.finish(deadline);
      sender = undefined;
      await folder.release(spool.isEmpty).catch((error: unknown) => warn(cannotUseFiles, { error }));
    },
  };
}

/** An act that has begun. */
interface BegunAct {
  /** It, while nobody knows how it ends. */
  readonly pending: EndedAct;
  ended(outcome: ActOutcome): EndedAct;
}

function begunNow(facts: ActFacts, clock: Clock): BegunAct {
  const occurredAt = clock.now();
  const begunMs = clock.monotonicMs();
  return {
    pending: { facts, occurredAt, durationMs: null, outcome: undefined },
    ended: (outcome) => ({ facts, occurredAt, durationMs: Math.round(clock.monotonicMs() - begunMs), outcome }),
  };
}

/** The two ways in which writes are recorded. */
interface RecordedWrites {
  /** Before it begins: resolves once its record is in a file. */
  recordFirst(act: BegunAct): Promise<NoteOutcome>;
  /** When it has ended, before it is answered. */
  keep(act: BegunAct): NoteOutcome;
}

/** With as many writes under way, their reports are gathered for a moment: one access to the disk serves all of them. */
const manyWrites = 8;
const gatherWritesMs = 2;

interface RecordingParts {
  readonly spool: ActivitySpool;
  readonly gathered: GatheredActs;
  readonly entries: (act: EndedAct, id: string) => ActEntries;
  readonly random: Random;
  readonly timers: Timers;
  readonly wake: () => void;
}

function recordWrites({ spool, gathered, entries, random, timers, wake }: RecordingParts): RecordedWrites {
  let underWay = 0;
  const gather = () => {
    if (underWay < manyWrites) return;
    return new Promise<void>((resolve) => void timers.after(gatherWritesMs, resolve));
  };
  return {
    recordFirst: async ({ pending, ended }) => {
      gathered.handOn();
      const id = random.orderedUuid();
      const settle = await intend(spool, entries(pending, id));
      return (outcome) => {
        gathered.handOn();
        const settled = settle(entries(ended(outcome), id));
        wake();
        return settled;
      };
    },
    keep: ({ ended }) => {
      underWay++;
      return (outcome) => {
        underWay--;
        gathered.handOn();
        const act = ended(outcome);
        const kept = spool.keep(entries(act, random.orderedUuid()), gather);
        wake();
        // The write is done, so its answer cannot be refused. The spool reports the failure, and the next write is refused.
        return kept.catch(() => undefined);
      };
    },
  };
}

/** An act and how it ended. It holds little, because the garbage collector looks at all that wait. */
interface EndedAct {
  readonly facts: ActFacts;
  /** In milliseconds since 1970. */
  readonly occurredAt: number;
  readonly durationMs: number | null;
  readonly outcome: ActOutcome | undefined;
}

/** Acts that have ended, until they are handed on together, a little later. */
interface GatheredActs {
  add(act: EndedAct): void;
  /** Hand on what was gathered, so that what is added to the spool next comes after it. */
  handOn(): void;
  /** Hand it on; resolves once what is not sent yet is written, or could not be. */
  flush(): Promise<void>;
}

interface GatheringParts {
  readonly timers: Timers;
  readonly spool: ActivitySpool;
  readonly encode: (act: EndedAct) => Noted;
  /** There may be something to send. */
  readonly wake: () => void;
}

/** As many are encoded at once, a little after their answers. The encoding of a whole batch would delay requests by milliseconds. */
const encodedAtOnce = 50;

function gatherActs({ timers, spool, encode, wake }: GatheringParts): GatheredActs {
  /** The first ones. */
  const encoded: Noted[] = [];
  const acts: EndedAct[] = [];
  /** How many of all were there at the last look: the first ones. */
  let seen = 0;
  /** How many the spool had been given by then, with those. */
  let seenBySpool = 0;
  let cancel: (() => void) | undefined;

  const count = () => encoded.length + acts.length;
  const encodeFirst = (upTo: number) => {
    for (const act of acts.splice(0, upTo - encoded.length)) encoded.push(encode(act));
  };
  const handOn = (upTo = count()) => {
    encodeFirst(upTo);
    for (const each of encoded.splice(0, upTo)) spool.add(each);
    wake();
    seen = 0;
  };
  // The spool tells of a failure itself; what is in memory alone is sent all the same.
  const written = () => spool.written().catch(() => undefined);
  const look = () => {
    handOn(seen);
    const { given, unwritten } = spool;
    if (given - unwritten < seenBySpool) void written();
    seen = count();
    seenBySpool = given + seen;
    cancel = seen === 0 && unwritten === 0 ? undefined : timers.after(lookMs, look);
  };

  return {
    handOn,
    flush: () => {
      cancel?.();
      cancel = undefined;
      handOn();
      return written();
    },
    add: (act) => {
      cancel ??= timers.after(lookMs, look);
      acts.push(act);
      // This many are sent at once, and need no file.
      if (count() === maxActivitiesPerBatch) timers.after(0, () => handOn());
      else if (acts.length === encodedAtOnce) timers.after(0, () => encodeFirst(count()));
    },
  };
}

const cannotUseFiles =
  'The files of the activities that wait to be sent cannot be used; an end of this process loses them.';
const isFull = 'Activities were dropped, because more wait to be sent than may.';
const isTooSmall = 'The report of an act has only some of its ids, because the outbox is smaller than all of them.';

function openSpool(
  folder: SpoolFolder,
  { maxBytes = defaultMaxBytes }: ActivityOutboxOptions,
  isRequired: () => boolean,
  warn: PacedWarning,
): ActivitySpool {
  let dropped = 0;
  return new ActivitySpool({
    folder,
    maxBytes,
    // A write that was let pass because it is recorded must not be pushed out by what comes later.
    whenFull: () => (isRequired() ? 'drop newest' : 'drop oldest'),
    onDropped: (count) => {
      dropped += count;
      warn(isFull, { dropped });
    },
    onShortened: (continuations) => warn(isTooSmall, { continuations, maxBytes }),
    onFileFailure: (error) => warn(cannotUseFiles, { error }),
  });
}

async function intend(spool: ActivitySpool, pending: ActEntries): Promise<(outcome: ActEntries) => Promise<void>> {
  const settle = await spool.intend(pending).catch((error: unknown) => {
    throw notRecorded('its record cannot be written down', error);
  });
  if (settle) return settle;
  throw notRecorded('too many records wait to be sent to the platform');
}

function notRecorded(reason: string, cause?: unknown): CloudError {
  return cloudError(
    'ACTIVITY_NOT_RECORDED',
    `The write was not carried out, because ${reason}.`,
    'Try again in a moment; if it stays, look at the log of the agent.',
    { cause },
  );
}
