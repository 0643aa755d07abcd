import { type Activity, activitySchema } from '#contracts/activity';

/** The content of a file of the outbox. */
export interface SpoolText {
  readonly activities: readonly Activity[];
  /** How many lines cannot be read: a crash leaves the last one unfinished. */
  readonly unreadable: number;
}

/** Read lines of JSON. Where two are about the same activity, the one that knows the outcome counts. */
export function readSpool(text: string): SpoolText {
  const lines = text.split('\n').filter((line) => line !== '');
  const read = lines.flatMap((line) => readActivity(line) ?? []);
  const byId = new Map<string, Activity>();
  for (const activity of read) {
    if (activity.status !== 'pending' || !byId.has(activity.id)) byId.set(activity.id, activity);
  }
  return { activities: [...byId.values()], unreadable: lines.length - read.length };
}

function readActivity(line: string): Activity | undefined {
  try {
    return activitySchema.parse(JSON.parse(line));
  } catch {
    // Counted by the caller, who warns of it.
    return undefined;
  }
}
