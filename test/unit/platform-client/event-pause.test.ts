import { describe, expect, it } from 'vitest';
import { CloudError, type CloudErrorInput } from '#kernel/errors/cloud-error';
import { systemRandom } from '#node/system/system-random';
import { pauseBeforeReconnect } from '#platform-client/event-stream';

const beatMs = 30_000;

function endedBy(code: 'PLATFORM_UNREACHABLE' | 'PLATFORM_UNAUTHENTICATED', askedPauseMs = 0) {
  const input: CloudErrorInput = { code, message: 'It ended.', nextSteps: ['Wait.'] };
  return { reason: new CloudError(input), livedMs: 0, askedPauseMs };
}

/** The shortest and the longest of many pauses, in milliseconds. */
function range(failures: number, end: ReturnType<typeof endedBy>): readonly [number, number] {
  const pauses = Array.from({ length: 200 }, () =>
    pauseBeforeReconnect(failures, end, { random: systemRandom, beatMs }),
  );
  return [Math.min(...pauses), Math.max(...pauses)];
}

describe('the pause before events are listened to again', () => {
  it.each([
    [0, 250, 1_000],
    [3, 2_000, 8_000],
    [6, 15_000, 60_000],
    [500, 15_000, 60_000],
  ])('grows to a minute and varies: failure %d', (failures, shortest, longest) => {
    const [least, most] = range(failures, endedBy('PLATFORM_UNREACHABLE'));
    expect(least).toBeGreaterThanOrEqual(shortest);
    expect(most).toBeLessThanOrEqual(longest);
    expect(most - least).toBeGreaterThan((longest - shortest) / 2);
  });

  it('is the longest at once where the credentials are refused', () => {
    expect(range(0, endedBy('PLATFORM_UNAUTHENTICATED'))[0]).toBeGreaterThanOrEqual(15_000);
  });

  it('is as long as the platform asks for, within reason', () => {
    expect(range(0, endedBy('PLATFORM_UNREACHABLE', 20_000))).toEqual([20_000, 20_000]);
    expect(range(0, endedBy('PLATFORM_UNREACHABLE', 86_400_000))).toEqual([300_000, 300_000]);
  });
});
