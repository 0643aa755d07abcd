import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startDeployedEnvironment } from '../helpers/deployed-environment.ts';
import { loadOnAgents } from '../helpers/load-on-agents.ts';
import { rawRequest } from '../helpers/raw-request.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const swaps = Number(process.env['SWAPS'] ?? 5);
/** So that every revision is seen between two swaps. */
const seenMs = 100;

it(`two hosts, one of them with two workers, swap ${swaps} times under load without a failed request`, async () => {
  const environment = await startDeployedEnvironment(await temporaryFolder(), [1, 2]);
  onTestFinished(() => environment.stop());
  for (const agent of environment.agents) {
    // What stands before the workers looks at no header.
    const twice = await rawRequest(`${agent}/`, [`Host: ${new URL(agent).host}`, 'Host: evil.example']);
    expect([twice.status, twice.body]).toEqual([400, expect.stringContaining('several Host headers')]);
  }
  const ending = new AbortController();
  const load = loadOnAgents(environment, ending.signal);
  for (let revision = 1; revision <= swaps; revision++) {
    await environment.push(`r${revision}`);
    await pause(seenMs);
  }
  ending.abort();
  const { asked, failed, revisions } = await load;
  expect(failed).toBe(0);
  expect(asked).toBeGreaterThan(100 * swaps);
  expect([...revisions]).toEqual(Array.from({ length: swaps + 1 }, (_, revision) => `r${revision}`));
});
