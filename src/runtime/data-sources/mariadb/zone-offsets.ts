import type { Zone } from 'luxon';

/** How far a time zone is from UTC, and since when. */
export interface ZoneOffsets {
  /** Instants at which the offset changes, ascending, in microseconds since 1970. */
  readonly changes: readonly number[];
  /** One more than `changes`: `offsets[n]` holds from `changes[n - 1]` on; in seconds east of UTC. */
  readonly offsets: readonly number[];
}

const first = Date.UTC(1900, 0, 1);
const last = Date.UTC(2150, 0, 1);
const weekMs = 7 * 86_400_000;
const maxKept = 100;
const kept = new Map<string, ZoneOffsets>();

/** Every change of the zone from 1900 to 2150, to the second; before and after, its first and its last offset hold. */
export function zoneOffsets(zone: Zone): ZoneOffsets {
  const known = kept.get(zone.name);
  if (known) return known;
  const found = findChanges(zone);
  if (kept.size >= maxKept) kept.clear();
  kept.set(zone.name, found);
  return found;
}

/** No zone has ever gone back to an offset within a week of leaving it. */
function findChanges(zone: Zone): ZoneOffsets {
  const changes: number[] = [];
  const offsets = [secondsAt(zone, first)];
  if (zone.isUniversal) return { changes, offsets };
  let offset = secondsAt(zone, first);
  for (let from = first; from < last; from += weekMs) {
    const end = secondsAt(zone, from + weekMs);
    for (let start = from; offset !== end; ) {
      start = firstChange(zone, start, from + weekMs);
      offset = secondsAt(zone, start);
      changes.push(start * 1000);
      offsets.push(offset);
    }
  }
  return { changes, offsets };
}

/** The first second, in milliseconds, at which the offset is no longer that of `from`, which it is not at `to`. */
function firstChange(zone: Zone, from: number, to: number): number {
  const before = secondsAt(zone, from);
  let [low, high] = [from / 1000, to / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (secondsAt(zone, middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}

function secondsAt(zone: Zone, instantMs: number): number {
  return Math.round(zone.offset(instantMs) * 60);
}
