import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { activity } from '../../helpers/audit-api.ts';
import { endWithTest } from '../../helpers/end-with-test.ts';
import { startHttpServer } from '../../helpers/http-server.ts';
import { makeTailFolder } from '../../helpers/log-tail.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const platformProgram = fileURLToPath(new URL('../platform/platform-process.ts', import.meta.url));
const tailProgram = fileURLToPath(new URL('tail-process.ts', import.meta.url));
/** `npm run test:kill` asks for more. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
const timeoutMs = Math.max(15 * 60_000, rounds * 60_000);
const rowsPerRound = 2_500;
/** What the platform says it can go on behind. */
const rowsPerBatch = 1_000;

interface Process {
  readonly child: ChildProcess;
  readonly line: string;
}

/** Resolves with the first line that the process prints. */
async function run(program: string, parameters: readonly string[], env: Record<string, string> = {}): Promise<Process> {
  const child = spawn(process.execPath, ['--conditions=vendor-source', program, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  endWithTest(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, line };
}

/** The token of the person ends with the platform. */
async function makeToken(url: string, userToken: string): Promise<string> {
  const answer = await fetch(`${url}/api/projects/shop/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'siem', scopes: ['activity_logs:read'] }),
  });
  return ((await answer.json()) as { readonly token: string }).token;
}

async function kill({ child }: Process): Promise<void> {
  expect(child.exitCode, 'it ended by itself').toBeNull();
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

it('a tail that is killed again and again, as its platform is, delivers every row in order and repeats one batch a time at most', {
  tags: 'long',
  timeout: timeoutMs,
}, async () => {
  const folder = await temporaryFolder();
  await makeTailFolder(folder);
  const arrived: number[] = [];
  const places = new Map<string, number>();
  const collector = await startHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const events = Buffer.concat(chunks).toString().split('\n');
    // Slow enough that a kill hits a batch.
    await pause(Math.random() * 150);
    for (const line of events) {
      const place = places.get((JSON.parse(line) as { readonly event: { readonly id: string } }).event.id);
      if (place !== undefined) arrived.push(place);
    }
    response.end('{"text":"Success","code":0}');
  });

  const store = `sqlite:${folder}/store.sqlite`;
  let platform = await run(platformProgram, [store]);
  const { url, userToken } = JSON.parse(platform.line) as { readonly url: string; readonly userToken: string };
  const { port } = new URL(url);
  const token = await makeToken(url, userToken);
  const variables = { SERVICE_SERVER_URL: url, SERVICE_AUTH_TOKEN: token, SERVICE_HEC_TOKEN: 'token' };
  const startTail = () => run(tailProgram, [folder, `hec:${collector.origin}`], variables);
  let tail = await startTail();
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const agent = createPlatformClient({ serverUrl: url, http, credentials: { envSecret: 'e'.repeat(64) } });

  for (let round = 0; round < rounds; round++) {
    for (let sent = 0; sent < rowsPerRound; sent += 500) {
      const batch = Array.from({ length: 500 }, () => activity());
      for (const { id } of batch) places.set(id, places.size);
      await agent.reportActivities(batch.map((each) => JSON.stringify(each)));
    }
    await pause(Math.random() * 800);
    await kill(tail);
    if (round % 2 === 1) {
      await kill(platform);
      platform = await run(platformProgram, [store, port]);
    }
    tail = await startTail();
    await pause(Math.random() * 400);
    if (round % 2 === 0) {
      await kill(platform);
      platform = await run(platformProgram, [store, port]);
    }
  }
  await expect.poll(() => arrived.includes(places.size - 1)).toBe(true);

  expect(new Set(arrived).size).toBe(places.size);
  expect(arrived.length - places.size).toBeLessThanOrEqual(rounds * rowsPerBatch);
  const jumps = arrived.filter((place, index) => place > (arrived[index - 1] ?? -1) + 1);
  expect(jumps).toEqual([]);
  console.log(`${rounds} rounds: ${places.size} rows, ${arrived.length - places.size} of them twice`);
});
