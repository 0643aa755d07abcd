import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FlowContext } from '#flows/flow-context';
import { sha256Hex } from '#host/digest';
import { gitCommit } from '#host/git';
import { createHttp, type HttpClient } from '#host/http-client';
import { nodeFileSystem } from '#host/node-file-system';
import { describePortOwner } from '#host/port-owner';
import { isProcessAlive } from '#host/process-probe';
import { openSqlite } from '#host/sqlite-connection';
import { systemClock } from '#host/system-clock';
import { systemRandom } from '#host/system-random';
import { silentLogger } from '#kernel/ports/logger';
import type { Reporter } from '#kernel/ports/reporter';
import { packageInfo } from './package-info.ts';
import type { Session } from './session.ts';

export interface CliContext extends FlowContext {
  readonly http: HttpClient;
}

/** The world as the commands see it: the machine's own files, clock, network and databases. */
export function createContext({ environment, onInterrupt }: Session, reporter: Reporter): CliContext {
  const { variables } = environment;
  return {
    fs: nodeFileSystem,
    clock: systemClock,
    random: systemRandom,
    http: createHttp({
      clock: systemClock,
      random: systemRandom,
      httpProxy: variables['HTTP_PROXY'],
      httpsProxy: variables['HTTPS_PROXY'],
      noProxy: variables['NO_PROXY'],
    }),
    logger: silentLogger,
    reporter,
    variables,
    workingFolder: environment.workingFolder,
    isInteractive: environment.isInputTerminal && environment.isErrorTerminal && !variables['CI'],
    pid: environment.pid,
    package: packageInfo,
    agentWorkerUrl: siblingModule('agent-worker'),
    openDatabase: openSqlite,
    describePortOwner,
    sha256Hex,
    gitCommit,
    isProcessAlive,
    onInterrupt,
  };
}

/** A module beside this one, compiled or not. */
function siblingModule(name: string): URL {
  return new URL(`./${name}${path.extname(fileURLToPath(import.meta.url))}`, import.meta.url);
}
