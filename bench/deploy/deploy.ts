import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DeployedEnvironment, startDeployedEnvironment } from '../../test/helpers/deployed-environment.ts';
import { loadOnAgents } from '../../test/helpers/load-on-agents.ts';
import type { Bench } from '../bench-report.ts';
import { median, percentile, rounded } from '../statistics.ts';
import { startBareUpload } from './bare-upload.ts';

const workersOfHosts = [1, 1];
const betweenPushesMs = 1_500;

/** From `push` to both hosts serving, while people use them. */
export const benchDeploy: Bench = async ({ isQuick }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  try {
    const environment = await startDeployedEnvironment(folder, workersOfHosts);
    try {
      return { name: 'deploy', figures: await measure(environment, isQuick ? 5 : 40) };
    } finally {
      await environment.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

async function measure(environment: DeployedEnvironment, pushes: number) {
  const ending = new AbortController();
  const load = loadOnAgents(environment, ending.signal);
  const millis: number[] = [];
  const bare: number[] = [];
  const upload = await startBareUpload(environment.entry);
  for (let revision = 1; revision <= pushes; revision++) {
    // Nobody pushes again at once.
    await pause(betweenPushesMs);
    const start = performance.now();
    await environment.push(`r${revision}`);
    millis.push(performance.now() - start);
    await pause(betweenPushesMs);
    const bareStart = performance.now();
    await environment.pushAgain();
    await upload.serveAgain();
    bare.push(performance.now() - bareStart);
  }
  await upload.stop();
  ending.abort();
  const tally = await load;
  return {
    ratio: rounded(median(millis.map((ms, index) => ms / (bare[index] ?? Number.NaN)))),
    bareP50Ms: rounded(median(bare)),
    p50Ms: rounded(median(millis)),
    p95Ms: rounded(percentile(millis, 95)),
    maxMs: rounded(percentile(millis, 100)),
    pushes,
    requests: tally.asked,
    failed: tally.failed,
    revisionsSeen: tally.revisions.size,
  };
}
