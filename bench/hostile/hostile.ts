import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Bench } from '../bench-report.ts';
import { percentile, rounded } from '../statistics.ts';
import { openAgentSubject } from './agent-floods.ts';
import { openPlatformSubject } from './platform-floods.ts';
import type { Stops, Tally } from './subject.ts';

/**
 * Honest clients of an agent and of a platform, without a flood and beside each kind of flood. `worstRatio` is the worst of their
 * 99th percentiles over the one without a flood.
 */
export const benchHostile: Bench = async ({ isQuick }) => {
  const seconds = isQuick ? 10 : 60;
  const figures: Record<string, number> = {};
  const ratios: number[] = [];
  let refusedHonest = 0;
  for (const open of [openAgentSubject, openPlatformSubject]) {
    const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-hostile-'));
    const stops: Stops = [() => rm(folder, { recursive: true, force: true })];
    try {
      const subject = await open(folder, stops);
      const honest = (tally: Tally) => (signal: AbortSignal) => subject.honest(signal, tally);
      await during(5, honest(newTally()));
      const calm = newTally();
      await during(seconds, honest(calm));
      figures[`${subject.name}.p99Ms`] = rounded(percentile(calm.millis, 99));
      for (const [name, flood] of Object.entries(subject.floods)) {
        const tally = newTally();
        let sent = 0;
        await during(seconds, honest(tally), async (signal) => {
          sent = await flood(signal);
        });
        const p99 = percentile(tally.millis, 99);
        const ratio = p99 / percentile(calm.millis, 99);
        ratios.push(ratio);
        refusedHonest += tally.refused.length;
        for (const refusal of new Set(tally.refused)) console.error(`${subject.name}.${name}: ${refusal}`);
        figures[`${subject.name}.${name}P99Ms`] = rounded(p99);
        figures[`${subject.name}.${name}Ratio`] = rounded(ratio);
        figures[`${subject.name}.${name}SentPerSecond`] = rounded(sent / seconds);
      }
    } finally {
      for (const stop of stops.toReversed()) await stop();
    }
  }
  return { name: 'hostile', figures: { ...figures, worstRatio: rounded(Math.max(...ratios)), refusedHonest } };
};

function newTally(): Tally {
  return { millis: [], refused: [] };
}

async function during(seconds: number, ...work: readonly ((signal: AbortSignal) => Promise<void>)[]): Promise<void> {
  const signal = AbortSignal.timeout(seconds * 1000);
  await Promise.all(work.map((each) => each(signal)));
}
