import { EventEmitter, once } from 'node:events';
import { envSecret } from '../audit/platform-process.ts';
import { startPlatform as startRealPlatform } from '../audit/start-platform.ts';
import { rounded } from '../statistics.ts';
import { loadVaried } from './load.ts';
import { startPlatform } from './platform.ts';
import { cpuSecondsOf } from './process-use.ts';
import { startAgent } from './start-agent.ts';

type Stops = (() => Promise<unknown>)[];

/**
 * What a platform takes to record reads, over what the agent takes to answer them: processor time of two processes for the same requests.
 * The platform has its store in SQLite; the agent reports as it does everywhere.
 */
export async function measureRecording(
  databaseUrl: string,
  folder: string,
  stops: Stops,
  isQuick: boolean,
): Promise<Record<string, number>> {
  const recorder = await startRealPlatform(`sqlite:${folder}/recorder.sqlite`);
  stops.push(() => recorder.stop());
  const recording = new EventEmitter();
  let recorded = 0;
  const platform = await startPlatform(async (body) => {
    const answer = await fetch(`${recorder.url}/agent/v1/activities`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'service-secret-key': envSecret },
      body,
    });
    if (answer.status !== 204) throw new Error(`The platform records with ${answer.status}.`);
    recorded += (JSON.parse(body.toString()) as { readonly activities: unknown[] }).activities.length;
    recording.emit('batch');
  });
  stops.push(() => platform.stop());
  const agent = await startAgent(databaseUrl, platform.url, folder, stops);
  let answered = 0;
  const answerAndRecord = async (seconds: number) => {
    answered += (await loadVaried(agent, 'get', seconds)).requests;
    // The agent gathers reports for half a second.
    while (recorded < answered) await once(recording, 'batch', { signal: AbortSignal.timeout(60_000) });
  };
  await answerAndRecord(isQuick ? 3 : 8);
  const [readsBefore, ...before] = [recorded, await cpuSecondsOf(recorder.pid), await cpuSecondsOf(agent.pid)];
  await answerAndRecord(isQuick ? 4 : 30);
  const reads = (recorded - readsBefore) / 1000;
  const platformMs = ((await cpuSecondsOf(recorder.pid)) - (before[0] ?? 0)) * 1000;
  const agentMs = ((await cpuSecondsOf(agent.pid)) - (before[1] ?? 0)) * 1000;
  return {
    recordingRatio: rounded(platformMs / agentMs),
    recordingMsPer1000: rounded(platformMs / reads),
    getMsPer1000: rounded(agentMs / reads),
  };
}
