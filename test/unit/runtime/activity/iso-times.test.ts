import { describe, expect, it } from 'vitest';
import { createIsoTimes } from '#runtime/activity/activity-entries';

describe('the times of reports', () => {
  it.each([
    ['in one second', [1_700_000_000_000, 1_700_000_000_001, 1_700_000_000_999]],
    ['over a second, and back', [1_700_000_000_999, 1_700_000_001_000, 1_700_000_000_042]],
    ['before 1970', [-1, -1_000, -1_001]],
  ])('are those of toISOString: %s', (_name, times) => {
    const isoTime = createIsoTimes();
    expect(times.map(isoTime)).toEqual(times.map((ms) => new Date(ms).toISOString()));
  });
});
