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
  /** Call `listener` on Ctrl-C, termination and hang-up. Returns a function that stops listening. */
  onInterrupt(listener: (signal: NodeJS.Signals) => void): () => void;
  setExitCode(code: number): void;
  /** End the process at once, whatever still runs. */
  exit(code: number): never;
}

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
    for (const signal of interrupts) process.on(signal, listener);
    return () => {
      for (const signal of interrupts) process.off(signal, listener);
    };
  },

  setExitCode(code) {
    process.exitCode = code;
  },

  exit: (code) => process.exit(code),
};

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
