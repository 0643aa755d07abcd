import { type ActivityEntry, activityContinuationSchema, activitySchema } from '#contracts/activity';
import { activityValuesSchema } from '#contracts/history';
import type { ActEntries } from './activity-entries.ts';
import type { ActivitySpool } from './activity-spool.ts';
import type { PacedWarning } from './paced-warnings.ts';
import type { SpoolFolder } from './spool-folder.ts';

/** Take over the files that ended agents left, as far as there is room. */
export async function adoptLeft(folder: SpoolFolder, spool: ActivitySpool, warn: PacedWarning): Promise<void> {
  try {
    await folder.renew();
    while (spool.isHalfEmpty) {
      const left = await folder.takeOver();
      if (!left) return;
      const { acts, unreadable } = readSpool(left.text);
      if (unreadable > 0) warn('Records of activities were left out, because they cannot be read.', { unreadable });
      for (const { entries, isWrite } of acts) spool.adopt(entries, isWrite);
      await spool.written();
      await left.discard();
    }
  } catch (error) {
    warn('What agents that are gone have left to be sent cannot be taken over.', { error });
  }
}

/** The content of the files of an outbox. */
interface SpoolText {
  readonly acts: readonly { readonly entries: ActEntries; readonly isWrite: boolean }[];
  /** How many lines cannot be read: a crash leaves the last one unfinished. */
  readonly unreadable: number;
}

interface FoundAct {
  /** The report that counts; `undefined` when there are continuations only. */
  report: string | undefined;
  isPending: boolean;
  isWrite: boolean;
  readonly continuations: Map<number, string>;
}

/**
 * Read lines of JSON. Where two reports are about the same act, the one that knows the outcome counts. Continuations follow
 * their report in order; without one they cannot be read.
 */
function readSpool(text: string): SpoolText {
  const byId = new Map<string, FoundAct>();
  let unreadable = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = readEntry(line);
    if (!entry) unreadable++;
    else addTo(byId, entry, line);
  }
  const acts: SpoolText['acts'][number][] = [];
  for (const { report, continuations, isWrite } of byId.values()) {
    const inOrder = [...continuations].sort(([first], [second]) => first - second).map(([, line]) => line);
    if (report === undefined) unreadable += inOrder.length;
    else acts.push({ entries: [report, ...inOrder], isWrite });
  }
  return { acts, unreadable };
}

function addTo(byId: Map<string, FoundAct>, entry: ActivityEntry, line: string): void {
  const act: FoundAct = byId.get(entry.id) ?? {
    report: undefined,
    isPending: true,
    isWrite: false,
    continuations: new Map(),
  };
  byId.set(entry.id, act);
  if ('part' in entry) act.continuations.set(entry.part, line);
  else if ('values' in entry) act.continuations.set(Number.POSITIVE_INFINITY, line);
  else if (act.report === undefined || act.isPending) {
    act.report = line;
    act.isPending = entry.status === 'pending';
    act.isWrite = entry.type === 'write';
  }
}

function readEntry(line: string): ActivityEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== 'object' || entry === null) return undefined;
    if ('part' in entry) return activityContinuationSchema.parse(entry);
    return 'values' in entry ? activityValuesSchema.parse(entry) : activitySchema.parse(entry);
  } catch {
    // Counted by the caller, who warns of it.
    return undefined;
  }
}
