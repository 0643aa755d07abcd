import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlEngine } from './sql-engine.ts';
import { offsetReader } from './zone-offsets.ts';

const months = 37;
const mostNamed = 8;
/** What one turn of the event loop compares: about 2 ms. */
const zonesPerTurn = 10;

/**
 * Which time zones the database has otherwise than Node.js, in a sentence, from a year before `now` until two years after it:
 * what differs longer ago is the same for every report by now. Zones that the database does not know are passed over.
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
