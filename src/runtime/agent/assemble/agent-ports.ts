import type { Clock } from '#kernel/ports/clock';
import type { FileSystem } from '#kernel/ports/file-system';
import type { Random } from '#kernel/ports/random';
import type { LogFunction } from '../options/agent-options.ts';
import type { McpDefaults } from '../options/mcp-options.ts';
import type { AgentPlatform } from './agent-platform.ts';

/** The machine an agent runs on. */
export interface AgentPorts extends McpDefaults {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  /** Default of the option `serverUrl`, where the machine has one. */
  readonly serverUrl: string | undefined;
  /** Port for a standalone server that was mounted without one, where the machine has one. */
  readonly port: string | undefined;
  /** Where clients of the MCP server reach the agent, where neither the platform nor a server of its own tells. */
  readonly mcpServerUrl: string | undefined;
  /** Default of the option `logger`, and told when that one fails. */
  readonly log: LogFunction;
  /** Relative paths of the options begin here; the user's code is in it. */
  readonly workingFolder: string;
  readonly version: string;
  connectPlatform(serverUrl: string, envSecret: string): AgentPlatform;
}
