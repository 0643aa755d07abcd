import { constants, readFileSync, readlinkSync } from 'node:fs';
import type { VariableName } from '#kernel/environment/variables';
import type { WithVariable } from '#kernel/ports/env';

/** The process as it was started. Nothing else reads its environment, arguments, terminal and signals. */
export interface ProcessEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly arguments: readonly string[];
  readonly workingFolder: string;
  readonly pid: number;
  readonly isInputTerminal: boolean;
  /** What stands on stdin. */
  readonly input: AsyncIterable<Uint8Array>;
  readonly isOutputTerminal: boolean;
  readonly isErrorTerminal: boolean;
  /**
   * Call `listener` on Ctrl-C, termination, and hang-up where nobody asked to ignore that. Returns a function that stops listening.
   */
  onInterrupt(listener: (signal: NodeJS.Signals) => void): () => void;
  /** Call `listener` when nobody can read what is written to stdout or stderr any more, until the process ends. */
  onOutputLost(listener: () => void): void;
  setExitCode(code: number): void;
  /** End the process at once, whatever still runs. */
  exit(code: number): never;
}

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const ignore = () => undefined;

export const processEnvironment: ProcessEnvironment = {
  variables: process.env,
  arguments: process.argv.slice(2),
  workingFolder: process.cwd(),
  pid: process.pid,
  isInputTerminal: Boolean(process.stdin.isTTY),
  input: process.stdin,
  isOutputTerminal: Boolean(process.stdout.isTTY),
  isErrorTerminal: Boolean(process.stderr.isTTY),

  onInterrupt(listener) {
    // Without any listener a hang-up would end the process.
    const onHangUp = isHangUpIgnored(processEnvironment) ? ignore : listener;
    const listeners = interrupts.map((signal) => [signal, signal === 'SIGHUP' ? onHangUp : listener] as const);
    for (const [signal, own] of listeners) process.on(signal, own);
    return () => {
      for (const [signal, own] of listeners) process.off(signal, own);
    };
  },

  onOutputLost(listener) {
    // Before the listener of the framework, which throws what is not an EPIPE error.
    for (const output of [process.stdout, process.stderr]) output.prependListener('error', listener);
  },

  setExitCode(code) {
    process.exitCode = code;
  },

  exit: (code) => process.exit(code),
};

/**
 * Whether the process was started with the hang-up ignored, by `nohup` or `trap '' HUP`. Node.js resets all signals before it runs
 * anything, so the state of this process does not say it any more. Three traces do.
 *
 * An ignored SIGINT has no such meaning: shells start every background job of a script so, and the script ends it with `kill -INT`.
 */
function isHangUpIgnored({ variables, isInputTerminal }: ProcessEnvironment): boolean {
  // Shells name the program that they start, and `nohup` becomes this one.
  if (/(?:^|\/)nohup$/.test(variables['_'] ?? '')) return true;
  // Programs that make terminals ignore a hang-up for themselves only.
  if (process.platform !== 'linux' || isInputTerminal) return false;
  try {
    return isHangUpIgnoredBy(process.ppid) || isInputForWriting();
  } catch {
    // Where the process may not read its state, it behaves as if nobody had asked.
    return false;
  }
}

/** A child inherits what its parent ignores. */
function isHangUpIgnoredBy(pid: number): boolean {
  const [, signals = '0'] = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number.parseInt(signals.slice(-1), 16) & 1) === 1;
}

/** At a terminal, `nohup` of GNU puts in place of the input what cannot be read. */
function isInputForWriting(): boolean {
  if (readlinkSync('/proc/self/fd/0') !== '/dev/null') return false;
  const [, flags = '0'] = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8')) ?? [];
  return (Number.parseInt(flags.slice(-1), 8) & 3) === constants.O_WRONLY;
}

/** The value of one of the product's own variables; an empty text counts as not set. */
export function readVariable(name: VariableName, source: ProcessEnvironment = processEnvironment): string | undefined {
  return source.variables[name] || undefined;
}

export const withVariable: WithVariable = (name, value, work) => {
  if (process.env[name] !== undefined) return work();
  process.env[name] = value;
  try {
    return work();
  } finally {
    delete process.env[name];
  }
};

type Variables = Readonly<Record<string, string>>;

/** Take some environment variables away from this thread, and give it others. A worker has an environment of its own. */
export function replaceVariables(before: Variables, after: Variables): void {
  for (const name of Object.keys(before)) delete process.env[name];
  Object.assign(process.env, after);
}
