import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Zone } from 'luxon';
import type { SqlEngine } from './sql-engine.ts';

/** How far a time zone is from UTC, and since when, by the rules of Node.js. */
export interface ZoneOffsets {
  /** Instants at which the offset changes, ascending, in microseconds since 1970. */
  readonly changes: readonly number[];
  /** One more than `changes`: `offsets[n]` holds from `changes[n - 1]` on; in seconds east of UTC. */
  readonly offsets: readonly number[];
}

const first = Date.UTC(1800, 0, 1);
const last = Date.UTC(2150, 0, 1);
const weekMs = 7 * 86_400_000;
/** There are some 420 zones. */
const maxKept = 500;
const kept = new Map<string, ZoneOffsets>();

/** Every change of the zone from 1800 to 2150, to the second; before and after, its first and its last offset hold. */
export function zoneOffsets(zone: Zone): ZoneOffsets {
  const known = kept.get(zone.name);
  if (known) return known;
  const found = zone.isUniversal ? { changes: [], offsets: [Math.round(zone.offset(0) * 60)] } : findChanges(zone.name);
  if (kept.size >= maxKept) kept.clear();
  kept.set(zone.name, found);
  return found;
}

/** No zone has ever gone back to an offset within a week of leaving it. */
function findChanges(zone: string): ZoneOffsets {
  const offsetAt = offsetReader(zone);
  let offset = offsetAt(first);
  const changes: number[] = [];
  const offsets = [offset];
  for (let from = first; from < last; from += weekMs) {
    const end = offsetAt(from + weekMs);
    for (let start = from; offset !== end; ) {
      start = firstChange(offsetAt, start, from + weekMs);
      offset = offsetAt(start);
      changes.push(start * 1000);
      offsets.push(offset);
    }
  }
  return { changes, offsets };
}

/** The first second, in milliseconds, at which the offset is no longer that of `from`, which it is not at `to`. */
function firstChange(offsetAt: (instantMs: number) => number, from: number, to: number): number {
  const before = offsetAt(from);
  let [low, high] = [from / 1000, to / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}

/** The offset of a zone in seconds. A text that names it takes a quarter of the time that the parts of a date take. */
export function offsetReader(zone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (instantMs) => {
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(format.format(instantMs)) ?? [];
    const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return sign === '-' ? -size : size;
  };
}

const months = 37;
const mostNamed = 8;
/** What one turn of the event loop compares: about 2 ms. */
const zonesPerTurn = 10;

/**
 * Which time zones the database has otherwise than Node.js, in a sentence, from a year before `now` until two years after it.
 * What differs longer ago is the same for every report by now. Zones that the database does not know are passed over.
 */
export async function zoneWarning(engine: SqlEngine, now: Date): Promise<string | undefined> {
  if (!engine.utcOffsets) return undefined;
  // In the middle of the month, because many changes are at its end.
  const instants = Array.from(
    { length: months },
    (_, month) => new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth() + month, 15)),
  );
  const offsets = await engine.utcOffsets(Intl.supportedValuesOf('timeZone'), instants);
  const differing: string[] = [];
  let compared = 0;
  for (const [zone, ofDatabase] of offsets) {
    if (++compared % zonesPerTurn === 0) await nextTurn();
    const offsetAt = offsetReader(zone);
    const first = instants.find((instant, index) => offsetAt(instant.getTime()) !== ofDatabase[index]);
    if (first) differing.push(`${zone} (${first.toISOString().slice(0, 7)})`);
  }
  return differing.length === 0 ? undefined : inWords(differing.toSorted());
}

function inWords(zones: readonly string[]): string {
  const more = zones.length > mostNamed ? ` and ${zones.length - mostNamed} more` : '';
  return (
    `The database has other rules than Node.js (${process.versions['tz'] ?? 'of unknown version'}) for time zones, each with the month in which that shows: ` +
    `${zones.slice(0, mostNamed).join(', ')}${more}. The agent reckons days by the rules of Node.js, ` +
    'native queries by those of the database.'
  );
}
