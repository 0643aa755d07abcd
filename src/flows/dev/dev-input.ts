import type { SignInLink } from '#contracts/sign-in';
import type { LogLevel } from '#kernel/ports/logger';
import type { WantedPort } from '#kernel/ports/tcp';
import type { AgentLogLine } from '../agent-worker/worker-protocol.ts';
import type { Developer } from '../local-platform/start-local-platform.ts';
import type { AgentController } from '../project-agent/agent-controller.ts';
import type { DevEvent } from './dev-event.ts';

export interface LogFilter {
  /** The least important level. */
  readonly level: LogLevel;
  shouldTell(line: AgentLogLine): boolean;
}

export interface DevInput {
  readonly folder: string;
  readonly ports: { readonly agent: WantedPort; readonly sandbox: WantedPort; readonly mcp: WantedPort };
  readonly developer: Developer;
  /**
   * Use this platform in place of a local one: its address, or `null` for the one that the project names. Default: a local one.
   */
  readonly remote?: string | null | undefined;
  /** Serve this person under the rights of `permissions.json`, or of the other platform: an e-mail address, or `role:<name>`. */
  readonly as?: string | undefined;
  /** Whether the types of the project are checked after each build. Default true. */
  readonly shouldCheckTypes?: boolean | undefined;
  /** Stop as soon as every server has answered: to find out whether the project serves. Default false. */
  readonly isOnce?: boolean | undefined;
  /** Whether a debugger may hold the code, so that a worker without a sign of life is not replaced. Default false. */
  readonly isDebugged?: boolean | undefined;
  /** Which lines of the agent's log are reported. Default: no line. */
  readonly logs?: LogFilter | undefined;
  /** Broken code at the start: wait for the next save, instead of rejecting. */
  readonly shouldWaitForFix: boolean;
  /** Milliseconds that requests in flight are given when the session stops. */
  readonly drainMs: number;
  /** Ends the session. */
  readonly signal: AbortSignal;
  tell(event: DevEvent): void;
  /** Called once the session runs, with what keys and tests may ask of it. */
  onRunning?(controls: DevControls): void;
}

export interface DevControls {
  /** Build and load again, changed or not. */
  reload(): void;
  /** A one-time link that signs a browser in at the local platform. Absent on the platform of a team. */
  readonly makeSignInLink?: (() => SignInLink) | undefined;
  diagnose: AgentController['diagnose'];
}
