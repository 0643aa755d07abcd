import { homedir } from 'node:os';
import type { FlowContext } from '#flows/flow-context';
import { proxiesFrom } from '#kernel/environment/proxies';
import { silentLogger } from '#kernel/ports/logger';
import type { Reporter } from '#kernel/ports/reporter';
import { withVariable } from '#node/environment/process-environment';
import { nodeFileSystem } from '#node/files/node-file-system';
import { createHttp, type HttpClient } from '#node/http/http-client';
import { openReverseProxy } from '#node/http/reverse-proxy';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { sha256Hex } from '#node/system/digest';
import { gitCommit } from '#node/system/git';
import { moduleUrl } from '#node/system/package-files';
import { isProcessAlive } from '#node/system/process-probe';
import { createSealedTexts } from '#node/system/secrets';
import { systemClock } from '#node/system/system-clock';
import { createKeychain } from '#node/system/system-keychain';
import { systemPrograms } from '#node/system/system-programs';
import { systemRandom } from '#node/system/system-random';
import { systemTcp } from '#node/system/system-tcp';
import { createTools } from '#node/system/system-tools';
import { thisMachine } from '#node/system/this-machine';
import { createPrompts, type Prompts } from '../terminal/prompts.ts';
import type { Invocation } from './invocation.ts';
import { packageInfo } from './package-info.ts';
import { tellLongWaits, waitOutLimits } from './patient-http.ts';

export interface CliContext extends FlowContext {
  readonly http: HttpClient;
  readonly prompts: Prompts;
}

/** What it takes to ask a person, where there is one. */
export type Asking = Pick<CliContext, 'isInteractive' | 'prompts'>;

/**
 * The context of the commands: the machine's own files, clock, network and databases.
 *
 * @param timeoutMs how long the platform may put the command off; a minute for each request by default.
 */
export function createContext(
  { environment, terminal, interrupted, onInterrupt }: Invocation,
  reporter: Reporter,
  timeoutMs?: number,
): CliContext {
  const { variables } = environment;
  const http = createHttp({ clock: systemClock, random: systemRandom, ...proxiesFrom(variables) });
  const tools = createTools(variables, environment.workingFolder);
  const patience = { clock: systemClock, random: systemRandom, reporter, interrupted, timeoutMs };
  return {
    fs: nodeFileSystem,
    clock: systemClock,
    random: systemRandom,
    http: waitOutLimits(tellLongWaits(http, reporter), patience),
    tcp: systemTcp,
    openReverseProxy,
    machine: thisMachine,
    tools,
    keychain: createKeychain({
      tools,
      variables,
      system: thisMachine.system,
      processUrl: moduleUrl('#cli/keychain-process'),
    }),
    programs: systemPrograms,
    withVariable,
    logger: silentLogger,
    reporter,
    variables,
    workingFolder: environment.workingFolder,
    homeFolder: homedir(),
    isInteractive: environment.isInputTerminal && environment.isErrorTerminal && !terminal.isJson && !variables['CI'],
    prompts: createPrompts(),
    pid: environment.pid,
    package: packageInfo,
    agentWorkerUrl: moduleUrl('#cli/agent-worker'),
    openDatabase: openSqlite,
    sha256Hex,
    sealTexts: createSealedTexts,
    gitCommit,
    isProcessAlive,
    onInterrupt,
  };
}
