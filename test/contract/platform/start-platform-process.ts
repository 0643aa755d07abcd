import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { verifierOf } from '#contracts/audit/signing';
import type { HttpRequest } from '#kernel/ports/http';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { connectHost } from '#platform-client/host-client';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import { endWithTest } from '../../helpers/end-with-test.ts';

const program = fileURLToPath(new URL('platform-process.ts', import.meta.url));
const envSecret = 'e'.repeat(64);
/** What the checkpoints of these platforms are verified with. */
export const keys = [verifierOf(deriveCheckpointKey('a'.repeat(64)))];

/** A platform in a process of its own. */
export interface Running {
  readonly child: ChildProcess;
  readonly client: PlatformClient;
  readonly fetchBundle: (digest: string) => Promise<Uint8Array>;
  /** Every line of a whole export; `log` is its path below the project. */
  readonly exportLog: (log: string) => Promise<readonly string[]>;
}

export async function start(store: string): Promise<Running> {
  const child = spawn(process.execPath, ['--conditions=vendor-source', program, store], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithTest(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url: serverUrl, userToken } = JSON.parse(line) as { readonly url: string; readonly userToken: string };
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  // What was killed does not come back at its address.
  const triedOnce = { ...http, send: (request: HttpRequest) => http.send({ ...request, isRepeatable: false }) };
  const host = connectHost({ serverUrl, envSecret, http, random: systemRandom });
  return {
    child,
    client: createPlatformClient({ serverUrl, http: triedOnce, credentials: { userToken, envSecret } }),
    fetchBundle: host.fetchBundle,
    exportLog: async (log) => {
      const headers = { authorization: `Bearer ${userToken}` };
      const answer = await fetch(`${serverUrl}/v1/project/shop/${log}/export?format=ndjson`, { headers });
      expect(answer.status).toBe(200);
      return (await answer.text()).trimEnd().split('\n');
    },
  };
}
