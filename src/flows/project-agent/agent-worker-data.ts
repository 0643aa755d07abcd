import { durableWritesVariable, parseDurableWrites } from '#contracts/activity';
import { enabledToolsVariable, parseEnabledTools, parseReadOnly, readOnlyVariable, toolNames } from '#contracts/mcp';
import type { WantedPort } from '#kernel/ports/tcp';
import type { Project } from '#project/index';
import type { AgentWorkerData } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';
import type { UsedPlatform } from '../local-platform/used-platform.ts';

/** What the agent of a development session is started with. The auth secret lives as long as the session. */
export function agentWorkerData(
  context: FlowContext,
  project: Pick<Project, 'root' | 'dataSources'>,
  platform: Pick<UsedPlatform, 'url' | 'envSecret' | 'identity'>,
  ports: { readonly agent: WantedPort; readonly mcp: WantedPort },
): Omit<AgentWorkerData, 'heartbeat'> {
  return {
    projectRoot: project.root,
    dataSources: project.dataSources,
    stateFolder: null,
    activityRequired: false,
    durableWrites: parseDurableWrites(context.variables[durableWritesVariable]),
    rest: {},
    platformUrl: platform.url,
    envSecret: platform.envSecret,
    authSecret: context.random.hex(32),
    identity: platform.identity,
    isServing: true,
    isUnrestricted: false,
    waitsForDatabases: false,
    mayDatabasesBeAway: false,
    followsTables: false,
    logLevel: 'Error',
    bindAddress: '127.0.0.1',
    agentPort: ports.agent,
    mcpPort: ports.mcp,
    // A developer tries all of them.
    mcpServerUrl: undefined,
    mcpTools: parseEnabledTools(context.variables[enabledToolsVariable]) ?? toolNames,
    mcpReadOnly: parseReadOnly(context.variables[readOnlyVariable]) ?? false,
    version: context.package.version,
  };
}
