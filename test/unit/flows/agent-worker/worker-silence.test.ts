import { describe, expect, it } from 'vitest';
import { judgeSilence, type Stretch } from '#flows/agent-worker/worker-silence';

const patience = { busyMs: 2_000, blockedMs: 10_000 };
const nothing: Stretch = { attendedMs: 0, cpuMs: 0 };
const told = (attendedMs: number, cpuMs: number) => ({ told: { attendedMs, cpuMs }, untold: nothing });
const untold = (attendedMs: number, cpuMs: number) => ({ told: nothing, untold: { attendedMs, cpuMs } });

describe('the silence of a worker', () => {
  it.each([
    ['has just begun', told(0, 0), 'undecided'],
    ['used its processor time at once', told(2_000, 2_000), 'loop'],
    ['used its processor time beside twenty other programs', told(42_000, 2_000), 'loop'],
    ['has not used so much yet', told(1_900, 1_900), 'undecided'],
    ['got a twentieth of a processor for long', told(39_000, 1_900), 'undecided'],
    ['got a hundredth of a processor for long', told(60_000, 600), 'undecided'],
    ['did nothing for ten seconds', told(10_000, 1), 'wait'],
    ['did nothing for a while', told(9_000, 1), 'undecided'],
    [
      'does not tell, and did for long before',
      { ...told(1_900, 1_900), untold: untold(9_000, 9_000).untold },
      'undecided',
    ],
    ['does not tell while it computes', untold(10_000, 9_900), 'native'],
    ['does not tell while it waits for something', untold(10_000, 3), 'native'],
    ['does not tell, and may be starved', untold(10_000, 500), 'undecided'],
    ['does not tell for a minute, starved or not', untold(60_000, 1_900), 'native'],
  ])('that %s', (_what, silence, verdict) => {
    expect(judgeSilence(silence, patience)).toBe(verdict);
  });
});
