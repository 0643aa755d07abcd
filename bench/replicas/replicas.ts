import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { startPostgres } from '../postgres.ts';
import { loadVaried } from '../rest/load.ts';
import { startPlatform } from '../rest/platform.ts';
import { cpuSecondsOf } from '../rest/process-use.ts';
import { startAgent } from '../rest/start-agent.ts';
import type { AgentTarget } from '../rest/target.ts';
import { median, rounded } from '../statistics.ts';

const scenarios = ['list', 'list-relation', 'list-filter'] as const;
const positionHeader = 'service-read-position';

/** Lists of an agent with two replicas beside those of one without, for each second of the processor that the agent takes. */
export async function benchReplicas({ isQuick }: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const newFolder = () => mkdtemp(path.join(folder, 'part-'));
  try {
    // The user of the servers has to get through to their data.
    await chmod(folder, 0o755);
    const postgres = await startPostgres(await newFolder());
    stops.push(() => postgres.stop());
    await postgres.execute([await readFile(path.join(import.meta.dirname, '../rest/shop.sql'), 'utf8')]);
    // A standby cannot note which rows are visible to everybody: on fresh tables it would look that up each time.
    await postgres.execute(['vacuum (freeze, analyze)', 'checkpoint']);
    const uris = [await postgres.startReplica(await newFolder()), await postgres.startReplica(await newFolder())];
    const platform = await startPlatform();
    stops.push(() => platform.stop());
    const without = await startAgent(postgres.uri, platform.url, await newFolder(), stops);
    const variables = { REPLICAS: uris.join(' ') };
    const replicated = await withPosition(
      await startAgent(postgres.uri, platform.url, await newFolder(), stops, variables),
    );
    const figures: Record<string, number> = {};
    for (const name of scenarios) figures[`perCpuSecond.${name}`] = await ratioOf(replicated, without, name, isQuick);
    const statements = await postgres.statementCount();
    const { requests } = await listsOf(replicated, 'list', isQuick ? 2 : 5);
    const answeredByPrimary = ((await postgres.statementCount()) - statements) / requests;
    const least = Math.min(...Object.values(figures));
    return {
      name: 'replicas',
      figures: { ...figures, 'perCpuSecond.min': least, answeredByPrimary: rounded(answeredByPrimary) },
    };
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** The agent for a client that has a position. Its first one comes once the replicas are in use. */
async function withPosition(agent: AgentTarget): Promise<AgentTarget> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(`${agent.base}/customers/count?timezone=UTC`, { headers: agent.headers });
    const position = answer.headers.get(positionHeader);
    if (position !== null) return { ...agent, headers: { ...agent.headers, [positionHeader]: position } };
    await pause(100);
  }
  throw new Error('The agent gives no position.');
}

async function ratioOf(replicated: AgentTarget, without: AgentTarget, name: string, isQuick: boolean): Promise<number> {
  for (const agent of [without, replicated]) await listsOf(agent, name, isQuick ? 2 : 8);
  const ratios: number[] = [];
  // What else the machine does changes within seconds: many short rounds tell more than a few long ones.
  for (let round = 0; round < (isQuick ? 8 : 30); round++) {
    // Which of the two goes first alternates, so that whatever else the machine does meets both alike.
    const first = await listsOf(round % 2 === 0 ? without : replicated, name, 1);
    const second = await listsOf(round % 2 === 0 ? replicated : without, name, 1);
    const ratio = second.perCpuSecond / first.perCpuSecond;
    ratios.push(round % 2 === 0 ? ratio : 1 / ratio);
  }
  return rounded(median(ratios));
}

/** Lists for some seconds: how many there were, and how many for each second of the processor. */
async function listsOf(agent: AgentTarget, name: string, seconds: number) {
  const before = await cpuSecondsOf(agent.pid);
  const { rate } = await loadVaried(agent, name, seconds);
  const requests = rate * seconds;
  return { requests, perCpuSecond: requests / ((await cpuSecondsOf(agent.pid)) - before) };
}
