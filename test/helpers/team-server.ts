import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { SetupResult } from '#contracts/setup';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { ObservedRequest, TeamOptions } from '#platform/index';
import { type Sandbox, type SandboxOptions, startSandbox } from '#sandbox/index';
import { cheapPasswords } from './password-cost.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TeamPlatform extends Sandbox {
  readonly options: SandboxOptions;
  /** Requests that were answered. */
  readonly requests: readonly ObservedRequest[];
}

/** The platform of a team, stopped when the test ends. */
export async function startTeamPlatform(
  team: Partial<TeamOptions> = {},
  change: Partial<SandboxOptions> = {},
): Promise<TeamPlatform> {
  const requests: ObservedRequest[] = [];
  const options: SandboxOptions = {
    store: { dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'platform.sqlite') },
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    passwordCost: cheapPasswords,
    team: { trustedProxies: [], noticeMs: 0, drainMs: 1000, tellRequest: (request) => requests.push(request), ...team },
    ...change,
  };
  const platform = await startSandbox(options);
  onTestFinished(() => platform.stop());
  return { ...platform, options, requests };
}

export const firstAdministrator = {
  name: 'Ada Lovelace',
  email: 'Ada@example.test',
  password: 'correct horse battery',
  project: 'shop',
};

export function postSetup(url: string, body: object): Promise<Response> {
  return fetch(`${url}/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Use the setup link of a new platform. */
export async function setUp(platform: Sandbox): Promise<SetupResult> {
  const link = await platform.makeSetupLink();
  const response = await postSetup(platform.url, { secret: link?.secret, ...firstAdministrator });
  if (response.status !== 201) throw new Error(`The setup was refused: ${await response.text()}`);
  return (await response.json()) as SetupResult;
}
