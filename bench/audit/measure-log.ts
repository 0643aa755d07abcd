import { ExportVerification, type VerifyOptions, verifyExport } from '#contracts/audit/verify-export';
import { integritySchema } from '#contracts/public-api/integrity';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { readInThreads } from '#platform/audit/read-in-threads';
import { createPlatformClient } from '#platform-client/platform-client';
import { activity } from '../../test/helpers/audit-api.ts';
import { median, percentile } from '../statistics.ts';
import { bareLoopSeconds, type HashedParts, hashedPartsOf, openBareThreads } from './bare-loop.ts';
import { collections, drawn, teams, users } from './entries.ts';
import { envSecret } from './platform-process.ts';

export interface MeasuredPlatform {
  readonly url: string;
  readonly userToken: string;
  /** The largest memory of its process since this was asked last. */
  rssMb(): Promise<number>;
}

const lists = 2_000;
const searches = 500;
const ingestSeconds = 10;
const reporters = 4;
const exportRows = 1_000_000;
const verifiedRows = 200_000;
const verifyRounds = 15;

/** Figures of the log of the environment `development` of the project `shop`. */
export async function measureLog({ url, userToken, rssMb }: MeasuredPlatform): Promise<Record<string, number>> {
  const base = `${url}/v1/project/shop/environment/development/activity-logs`;
  const headers = { authorization: `Bearer ${userToken}`, 'accept-encoding': 'identity' };
  const get = async (address: string) => {
    const answer = await fetch(address, { headers });
    if (answer.status !== 200) throw new Error(`${address} was answered with ${answer.status}.`);
    return answer;
  };
  const timed = async (query: string) => {
    const begun = performance.now();
    const { data } = (await (await get(`${base}?order=desc&limit=100&${query}`)).json()) as {
      readonly data: unknown[];
    };
    return { ms: performance.now() - begun, rows: data.length };
  };
  const first = (await (await get(`${base}?order=asc&limit=1`)).json()) as { data: { createdAt: string }[] };
  const last = (await (await get(`${base}?limit=1`)).json()) as { data: { createdAt: string }[] };
  const oldest = Date.parse(first.data[0]?.createdAt ?? '');
  const newest = Date.parse(last.data[0]?.createdAt ?? '');
  const before = (share: number) => `createdAt.lt=${new Date(newest - share * (newest - oldest)).toISOString()}`;

  for (let warm = 0; warm < 50; warm++) await timed(before(drawn(warm)));
  const samples: number[] = [];
  for (let index = 0; index < lists; index++) {
    samples.push((await timed(`${before(drawn(index * 3 + 11))}&${filterNumber(index)}`)).ms);
  }
  const depthMs = async (share: number) => {
    const found: number[] = [];
    for (let index = 0; index < 200; index++) found.push((await timed(before(share + drawn(index) * 0.01))).ms);
    return median(found);
  };
  const [shallow, deep] = [await depthMs(0), await depthMs(0.9)];
  const listRssMb = await rssMb();
  const exportRowsPerSecond = await measureExport(base, get);
  const exportRssMb = await rssMb();
  const searchMs = async (query: (index: number) => string) => {
    const found: number[] = [];
    for (let index = 0; index < searches; index++) found.push((await timed(query(index))).ms);
    return percentile(found, 99);
  };
  const recordP99Ms = await searchMs((index) => `recordId=${Math.floor(drawn(index * 7 + 5) * 200_000)}`);
  const personP99Ms = await searchMs((index) => `userId=${users[Math.floor(drawn(index * 7 + 6) * users.length)]?.id}`);
  const searchRssMb = await rssMb();
  const ingestRowsPerSecond = await measureIngest(url);
  const ingestRssMb = await rssMb();
  return {
    listP50Ms: median(samples),
    listP99Ms: percentile(samples, 99),
    depthRatio: deep / shallow,
    listRssMb,
    recordP99Ms,
    personP99Ms,
    searchRssMb,
    ingestRowsPerSecond,
    ingestRssMb,
    exportRowsPerSecond,
    exportRssMb,
    ...(await measureVerify(url, base, get)),
  };
}

/** None, one or two filters; some of them match nothing. */
function filterNumber(index: number): string {
  const pick = <Item>(items: readonly Item[], seed: number) =>
    items[Math.floor(drawn(index * 5 + seed) * items.length)];
  const filters = [
    () => '',
    () => `userId=${pick(users, 1)?.id}`,
    () => `userEmail=${pick(users, 1)?.email}`,
    () => `collectionName=${pick(collections, 2)}`,
    () => 'type=write',
    () => `recordId=${Math.floor(drawn(index) * 200_000)}`,
    () => `userId=${pick(users, 1)?.id}&collectionName=${pick(collections, 2)}`,
    () => `collectionName=${pick(collections, 2)}&action=delete`,
    () => `teamName=${pick(teams, 3)}&type=write`,
    () => `userId=${pick(users, 1)?.id}&status=failed`,
    () => `correlationId=c${Math.floor(drawn(index) * 900_000).toString(36)}`,
  ];
  return pick(filters, 4)?.() ?? '';
}

async function measureIngest(url: string): Promise<number> {
  const http = createHttp({ clock: systemClock, random: systemRandom });
  const agent = createPlatformClient({ serverUrl: url, http, credentials: { envSecret } });
  const end = performance.now() + ingestSeconds * 1000;
  const begun = performance.now();
  let rows = 0;
  const report = async () => {
    while (performance.now() < end) {
      const batch = Array.from({ length: 200 }, () => JSON.stringify(activity({ recordIds: [systemRandom.hex(3)] })));
      await agent.reportActivities(batch);
      rows += batch.length;
    }
  };
  await Promise.all(Array.from({ length: reporters }, report));
  const seconds = (performance.now() - begun) / 1000;
  await http.close();
  return rows / seconds;
}

type Get = (address: string) => Promise<Response>;

async function measureExport(base: string, get: Get): Promise<number> {
  const begun = performance.now();
  let lines = 0;
  const { body } = await get(`${base}/export?max=${exportRows}`);
  for await (const chunk of body ?? [])
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  return lines / ((performance.now() - begun) / 1000);
}

/** How many rows are verified in a second, and how that compares with a bare loop that hashes the same bytes. */
async function measureVerify(url: string, base: string, get: Get) {
  const { keys } = integritySchema.parse(await (await get(`${url}/v1/project/shop/integrity`)).json());
  const lines = (await (await get(`${base}/export?max=${verifiedRows}`)).text()).split('\n');
  const verifier = { keys: keys.map((key) => ({ verifier: key })) };
  const verifySeconds = async () => {
    const begun = performance.now();
    const verdict = await verifyExport(lines, verifier);
    // A part of a log is not signed at its end.
    if (verdict.problem || verdict.rows !== verifiedRows)
      throw new Error(`The log does not hold: ${JSON.stringify(verdict)}`);
    return (performance.now() - begun) / 1000;
  };
  const hashed = lines.flatMap(hashedPartsOf);
  if (hashed.length !== verifiedRows) throw new Error(`Only ${hashed.length} lines are rows.`);
  const seconds: number[] = [];
  const shares: number[] = [];
  for (let round = 0; round < verifyRounds; round++) {
    // Which of the two goes first alternates, so that whatever else the machine does meets both alike.
    const bareFirst = round % 2 === 0 ? bareLoopSeconds(hashed) : undefined;
    const verified = await verifySeconds();
    seconds.push(verified);
    shares.push((bareFirst ?? bareLoopSeconds(hashed)) / verified);
  }
  return {
    verifyRowsPerSecond: verifiedRows / median(seconds),
    verifyShareOfBareLoop: median(shares),
    ...(await measureThreads(lines, hashed, verifier)),
  };
}

const threadRounds = 7;

/**
 * How many rows all processors verify in a second, and how their time compares with that of a bare loop on all of them. That is the time of the second
 * half of the rows: in the first one, threads start and are compiled, and a log at size takes minutes.
 */
async function measureThreads(lines: readonly string[], hashed: readonly HashedParts[], verifier: VerifyOptions) {
  const half = hashed.length / 2;
  const verified = async (rows: number) => {
    const text = `${lines.slice(1, 1 + rows + rows / 1_000).join('\n')}\n`;
    async function* texts() {
      yield { text: `${lines[0]}\n`, place: 0 };
      yield { text, place: 1 };
    }
    const [begun, before] = [performance.now(), process.cpuUsage()];
    const verification = new ExportVerification(verifier);
    for await (const { lines: read } of readInThreads(texts(), { ends: new Set() })) verification.take(read);
    if (verification.rows < rows) throw new Error(`The log does not hold at row ${verification.rows}.`);
    return { seconds: (performance.now() - begun) / 1000, cpu: secondsOf(process.cpuUsage(before)) };
  };
  const rates: number[] = [];
  const shares: number[] = [];
  const bare = openBareThreads(hashed.slice(half));
  try {
    await bare.run();
    for (let round = 0; round < threadRounds; round++) {
      const before = process.cpuUsage();
      await bare.run();
      const bareSeconds = secondsOf(process.cpuUsage(before));
      const [first, all] = [await verified(half), await verified(hashed.length)];
      rates.push(half / (all.seconds - first.seconds));
      shares.push(bareSeconds / (all.cpu - first.cpu));
    }
  } finally {
    await bare.close();
  }
  return { verifyRowsPerSecondInThreads: median(rates), verifyShareOfBareLoopInThreads: median(shares) };
}

function secondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}
