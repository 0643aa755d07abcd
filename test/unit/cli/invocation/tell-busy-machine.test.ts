import { describe, expect, it, vi } from 'vitest';
import { tellBusyMachine } from '#cli/invocation/tell-busy-machine';
import type { ThreadTimes } from '#node/system/thread-times';

/** what a person reads in ten seconds, in each of which the thread wants and gets this many milliseconds. */
async function toldOver(wantedMs: number, gotMs: number, endsAfterMs = 10_000): Promise<readonly string[]> {
  vi.useFakeTimers();
  try {
    const told: string[] = [];
    let seconds = 0;
    const readTimes = (): ThreadTimes => ({ wantedMs: wantedMs * seconds, gotMs: gotMs * seconds++ });
    const end = tellBusyMachine({ info: (message) => told.push(message) }, readTimes);
    await vi.advanceTimersByTimeAsync(endsAfterMs);
    end();
    await vi.advanceTimersByTimeAsync(10_000 - endsAfterMs);
    return told;
  } finally {
    vi.useRealTimers();
  }
}

describe('a busy machine', () => {
  it('is reported once, with what the command gets', async () => {
    expect(await toldOver(1_000, 50)).toEqual([
      'This machine is busy: the command gets 5 % of the processor time that it needs, and takes longer.',
    ]);
  });

  it('is not reported after the command has ended', async () => {
    expect(await toldOver(1_000, 50, 500)).toEqual([]);
  });

  it.each([
    ['that leaves the command half of a processor', 1_000, 500],
    ['whose command has little to do', 100, 5],
  ])('%s is not told', async (_what, wantedMs, gotMs) => {
    expect(await toldOver(wantedMs, gotMs)).toEqual([]);
  });
});
