import { strict as assert } from 'node:assert';
import { median, rounded } from '../statistics.ts';
import { load } from './load.ts';
import type { AgentTarget, Scenario, Target } from './target.ts';

/**
 * The rate of an agent that reports what people do, over the rate of one that does not. Both are in one process: two processes
 * of the same agent differ by more than the reports cost.
 */
export async function measureOutbox(
  all: readonly Scenario[],
  reporting: AgentTarget,
  isQuick: boolean,
): Promise<Record<string, number>> {
  const { silent } = reporting;
  assert.ok(silent, 'There is no agent that reports nothing.');
  const figures: Record<string, number> = {};
  for (const { name, path: target } of all) {
    for (const agent of [reporting, silent]) await load(agent, target, isQuick ? 3 : 8);
    const shares: number[] = [];
    for (let round = 0; round < (isQuick ? 2 : 20); round++) {
      // Pairs are short and which of the two goes first alternates, so that whatever else the machine does meets both alike.
      const order = round % 2 === 0 ? [reporting, silent] : [silent, reporting];
      const rates = new Map<Target, number>();
      for (const agent of order) rates.set(agent, (await load(agent, target, 1)).rate);
      shares.push((rates.get(reporting) ?? 0) / (rates.get(silent) ?? 1));
    }
    figures[`outbox.${name}`] = rounded(median(shares));
  }
  return { ...figures, outboxShare: Math.min(...Object.values(figures)) };
}
