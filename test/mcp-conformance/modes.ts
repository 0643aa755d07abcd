import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { mcpScopes } from '#contracts/mcp';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createMcpSurface } from '#runtime/surfaces/mcp/mcp-surface';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { createSafeguards } from '#runtime/surfaces/mcp/safeguards/safeguards';
import { createAgentStateHolder } from '#runtime/surfaces/request/agent-state';
import { createPageCursors } from '#runtime/surfaces/request/page-cursors';
import { ProgramLimits } from '#runtime/surfaces/request/program-limits';
import { defaultRequestLimits, SlowRequests } from '#runtime/surfaces/request/request-limits';
import { marksInMemory } from '../helpers/mcp-marks.ts';
import { noApprovals } from '../helpers/no-approvals.ts';
import { createFixtureProtocol } from './fixtures/protocol.ts';

/** A server that the suite is run against. */
export interface ServedMode {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');
const developer = {
  id: 1,
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'Lovelace',
  team: 'Operations',
  role: 'Operations',
  permissionLevel: 'admin' as const,
  renderingId: 1,
  tags: {},
};

/** The real tools: the built program serves the shop of the template. */
export async function serveProduct(folder: string): Promise<ServedMode> {
  await promisify(execFile)(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop', '--no-install'], {
    cwd: folder,
  });
  const child = spawn(process.execPath, [bin, 'mcp', '--json', '--mcp-port', '0'], {
    cwd: path.join(folder, 'shop'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url, token } = JSON.parse(line) as { readonly url: string; readonly token: string };
  return {
    url,
    token,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
    },
  };
}

/** The tools, resources and prompts that the scenarios call by name, behind the door of the real ones. */
export async function serveFixtures(): Promise<ServedMode> {
  const tokens = createMcpTokens('conformance', systemClock, systemRandom, () => false);
  let origin = '';
  const surface = createMcpSurface({
    states: createAgentStateHolder(),
    logger: silentLogger,
    random: systemRandom,
    reporter: { carryOut: (_act, _by, run) => run(undefined) },
    approvals: noApprovals,
    tokens,
    cursors: createPageCursors(Buffer.alloc(32)),
    slowRequests: new SlowRequests(defaultRequestLimits),
    programLimits: new ProgramLimits(systemClock),
    safeguards: createSafeguards({
      authSecret: 'conformance',
      platform: { spendApproval: async () => ({ isFirstRun: true }), mcpMarks: marksInMemory() },
      clock: systemClock,
      random: systemRandom,
    }),
    enabledTools: undefined,
    createHandler: createFixtureProtocol,
    version: '0.0.0',
    basePath: '',
    place: () => ({ origin, basePath: '' }),
    limits: defaultRequestLimits,
    telemetry: undefined,
    trustedProxies: [],
  });
  const server = createServer((request, response) => surface.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  return {
    url,
    token: await tokens.issue(developer, url, mcpScopes),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await surface.close();
    },
  };
}
