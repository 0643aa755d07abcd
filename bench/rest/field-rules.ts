import { strict as assert } from 'node:assert';
import { SignJWT } from 'jose';
import { median, rounded } from '../statistics.ts';
import { loadVaried } from './load.ts';
import { restricted } from './platform.ts';
import { authSecret, caller } from './start-agent.ts';
import type { Target } from './target.ts';
import { variedScenarios } from './varied.ts';

/** What ten rules for fields cost: the rate of a caller whose role has them over that of one whose role has none, on one agent. */
export async function measureFieldRules(agent: Target, isQuick: boolean): Promise<Record<string, number>> {
  const ruled = await asRestricted(agent);
  const figures: Record<string, number> = {};
  for (const name of variedScenarios) {
    for (const target of [agent, ruled]) await loadVaried(target, name, isQuick ? 2 : 8);
    const ratios: number[] = [];
    for (let round = 0; round < (isQuick ? 4 : 10); round++) {
      // Which of the two goes first alternates, so that whatever else the machine does meets both alike.
      const first = round % 2 === 0 ? agent : ruled;
      const rates = new Map<Target, number>();
      for (const target of [first, first === agent ? ruled : agent])
        rates.set(target, (await loadVaried(target, name, isQuick ? 1 : 3)).rate);
      ratios.push((rates.get(ruled) ?? 0) / (rates.get(agent) ?? 1));
    }
    figures[`fieldRules.${name}`] = rounded(median(ratios));
  }
  return { ...figures, 'fieldRules.min': Math.min(...Object.values(figures)) };
}

async function asRestricted(agent: Target): Promise<Target> {
  const token = await new SignJWT({ ...caller, ...restricted })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(authSecret));
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${agent.base}/customers/1?timezone=UTC`, { headers });
  const { data } = (await answer.json()) as { readonly data: { readonly attributes: Record<string, unknown> } };
  assert.equal(data.attributes['email'], 'u···@example.com');
  assert.ok(!('birth_date' in data.attributes), 'The rules do not hold.');
  return { base: agent.base, headers };
}
