import { setTimeout as wait } from 'node:timers/promises';
import { segmentsSchema } from '#contracts/public-api/segments';
import { percentile } from '../statistics.ts';
import { drawn } from './entries.ts';
import { genesis } from './fill-log.ts';
import type { MeasuredPlatform } from './measure-log.ts';

const proofs = 200;
const pollMs = 100;

/** How long the platform takes for the segments of a log that it finds, and for the proof of a row at a random depth. */
export async function measureSegments({
  url,
  userToken,
}: MeasuredPlatform): Promise<{ readonly segmentSeconds: number; readonly proofP99Ms: number }> {
  const base = `${url}/v1/project/shop`;
  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${userToken}` } });
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}.`);
    return answer.json();
  };
  const begun = performance.now();
  for (;;) {
    const { segments } = segmentsSchema.parse(await get(`/integrity/segments/${genesis.chain}`));
    if (segments.every(({ note }) => note !== null)) break;
    await wait(pollMs);
  }
  const segmentSeconds = (performance.now() - begun) / 1000;
  const log = '/environment/development/activity-logs';
  const timeOf = async (order: 'asc' | 'desc') => {
    const { data } = (await get(`${log}?limit=1&order=${order}`)) as { readonly data: readonly Log[] };
    return Date.parse(data[0]?.createdAt ?? '');
  };
  const [oldest, newest] = [await timeOf('asc'), await timeOf('desc')];
  const samples: number[] = [];
  for (let index = 0; index < proofs; index++) {
    const time = new Date(newest - drawn(index) * (newest - oldest)).toISOString();
    const { data } = (await get(`${log}?limit=1&createdAt.lte=${time}`)) as { readonly data: readonly Log[] };
    const proofBegun = performance.now();
    await get(`${log}/${data[0]?.id}/proof`);
    samples.push(performance.now() - proofBegun);
  }
  return { segmentSeconds, proofP99Ms: percentile(samples, 99) };
}

interface Log {
  readonly id: string;
  readonly createdAt: string;
}
