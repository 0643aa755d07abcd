import { expect, it } from 'vitest';
import { zoneWarning } from '#runtime/data-sources/sql/zone-offsets';
import type { SqlEngine } from '../../../../../src/runtime/data-sources/sql/sql-engine.ts';
import { offsetReader } from '../../../../../src/runtime/data-sources/sql/zone-offsets.ts';

const now = new Date('2026-11-27T10:00:00Z');

/** A database with the rules of Node.js for three zones, except for what `changed` makes of an offset. */
function engineWith(changed: (zone: string, instant: Date, offset: number) => number): SqlEngine {
  const utcOffsets: SqlEngine['utcOffsets'] = async (_zones, instants) =>
    new Map(
      ['Europe/Paris', 'America/Lima', 'Asia/Kathmandu'].map((zone) => {
        const offsetAt = offsetReader(zone);
        return [zone, instants.map((instant) => changed(zone, instant, offsetAt(instant.getTime())))];
      }),
    );
  return { utcOffsets } as Partial<SqlEngine> as SqlEngine;
}

it('says nothing of a database with the same rules, and of one without any', async () => {
  expect(
    await zoneWarning(
      engineWith((_zone, _instant, offset) => offset),
      now,
    ),
  ).toBeUndefined();
  expect(await zoneWarning({} as SqlEngine, now)).toBeUndefined();
});

it('names the zones that differ, each with the first month of it', async () => {
  const abolished = engineWith((zone, instant, offset) =>
    zone === 'Europe/Paris' && instant >= new Date('2027-01-01')
      ? 3600
      : zone === 'America/Lima'
        ? offset + 900
        : offset,
  );
  const warning = await zoneWarning(abolished, now);
  expect(warning).toContain('America/Lima (2025-11), Europe/Paris (2027-04).');
  expect(warning).not.toContain('Kathmandu');
  expect(warning).toContain(`Node.js (${process.versions['tz']})`);
});
