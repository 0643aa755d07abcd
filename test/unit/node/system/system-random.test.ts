import { describe, expect, it } from 'vitest';
import { activitySchema } from '#contracts/activity';
import { createOrderedUuids, systemRandom } from '#node/system/system-random';

const idAt = (ms: number) => createOrderedUuids(() => ms)();
const timeIn = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('a UUID in the order of time', () => {
  it.each([0, 1_795_998_139_894, 253_402_300_799_999])('is of version 7, and says its time: %d', (ms) => {
    const id = idAt(ms);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeIn(id)).toBe(ms);
    expect(activitySchema.shape.id.parse(id)).toBe(id);
  });

  it('sorts behind those of earlier moments, and is another one each time', () => {
    const later = Array.from({ length: 100 }, (_, index) => idAt(1_795_998_139_894 + index));
    expect(later.toSorted()).toEqual(later);
    const atOneMoment = createOrderedUuids(() => 5);
    expect(new Set(Array.from({ length: 1_000 }, atOneMoment)).size).toBe(1_000);
  });

  it('is of the clock of the system', () => {
    const [before, id, after] = [Date.now(), systemRandom.orderedUuid(), Date.now()];
    expect(timeIn(id)).toBeGreaterThanOrEqual(before);
    expect(timeIn(id)).toBeLessThanOrEqual(after);
  });
});
