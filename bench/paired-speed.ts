import { strict as assert } from 'node:assert';
import { median, rounded } from './statistics.ts';

/** The same question, asked of the product and by hand; `round` varies its values. */
export interface PairedQuestion {
  readonly name: string;
  asked(round: number): Promise<unknown>;
  byHand(round: number): Promise<unknown>;
  /** For how many values both answers are compared first. */
  readonly checks: number;
}

export interface PairedSpeed {
  /** Time by hand over time asked, in the median of the pairs. */
  readonly share: number;
  /** Microseconds of one question to the product, in the median. */
  readonly askedUs: number;
}

/** Compare the answers, then the time of batches that alternate. */
export async function pairedSpeed(
  { name, asked, byHand, checks }: PairedQuestion,
  isQuick: boolean,
): Promise<PairedSpeed> {
  for (let round = 0; round < checks; round++) assert.deepEqual(await asked(round), await byHand(round), name);
  const batches = isQuick ? 8 : 30;
  const size = await batchSize(asked, Math.min(50, checks));
  const pairs: { readonly asked: number; readonly byHand: number }[] = [];
  for (let batch = 0; batch < batches; batch++) {
    // Which of the two goes first alternates, so that whatever else the machine does meets both alike.
    const first = await milliseconds(batch % 2 === 0 ? asked : byHand, size);
    const second = await milliseconds(batch % 2 === 0 ? byHand : asked, size);
    pairs.push(batch % 2 === 0 ? { asked: first, byHand: second } : { asked: second, byHand: first });
  }
  return {
    share: rounded(median(pairs.map((pair) => pair.byHand / pair.asked))),
    askedUs: rounded((median(pairs.map((pair) => pair.asked)) / size) * 1_000),
  };
}

/** As many questions as take some 50 ms. */
async function batchSize(work: (round: number) => Promise<unknown>, probe: number): Promise<number> {
  return Math.max(1, Math.round((50 / (await milliseconds(work, probe))) * probe));
}

async function milliseconds(work: (round: number) => Promise<unknown>, rounds: number): Promise<number> {
  const begin = performance.now();
  for (let round = 0; round < rounds; round++) await work(round);
  return performance.now() - begin;
}
