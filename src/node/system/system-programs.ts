import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ProgramEnd, Programs, RunningProgram, ScriptEnd, ScriptInput } from '#kernel/ports/programs';
import { errnoOf } from '../files/file-errors.ts';
import { runToEnd } from './run-to-end.ts';

export const systemPrograms: Programs = { start, runScript };

async function start({ words, folder, variables, output }: Parameters<Programs['start']>[0]): Promise<RunningProgram> {
  const { default: spawnProgram } = await import('cross-spawn');
  const [program = '', ...parameters] = words;
  const watchdog = startWatchdog();
  const child = spawnProgram(program, parameters, {
    cwd: folder,
    env: { ...variables },
    stdio: ['inherit', output === 'stdout' ? 'inherit' : process.stderr, 'inherit'],
  });
  if (child.pid !== undefined) watchdog.watch(child.pid);
  const ended = once(child, 'exit') as Promise<[exitCode: number | null, signal: NodeJS.Signals | null]>;
  ended.finally(watchdog.end).catch(() => undefined);
  await once(child, 'spawn').catch((error: unknown) => {
    throw notStarted(program, folder, error);
  });
  return {
    ended: ended.then(([exitCode, signal]) => endOf(exitCode, signal)),
    send: (signal) => void child.kill(signal as NodeJS.Signals),
  };
}

async function runScript({
  script,
  parameters,
  folder,
  signal,
  isBackground,
}: ScriptInput): Promise<ScriptEnd | undefined> {
  const words = [script, ...parameters];
  // The compiler of TypeScript 7 does not listen when it is asked to end: it goes on to the end of its work.
  const run = { program: process.execPath, parameters: words, folder, signal, isBackground, isKilled: true };
  const { exitCode, stdout } = await runToEnd(run);
  return signal.aborted ? undefined : { exitCode: exitCode ?? 1, stdout };
}

function endOf(exitCode: number | null, signal: NodeJS.Signals | null): ProgramEnd {
  if (signal === null) return { exitCode: exitCode ?? 1, signal };
  return { exitCode: 128 + constants.signals[signal], signal };
}

/** Reads a pid, and ends the process of that pid once the writer is gone. */
const watchdogScript = `
  let pid = '';
  process.stdin.setEncoding('utf8').on('data', (text) => { pid += text; });
  process.stdin.on('close', () => { try { if (pid) process.kill(Number(pid)); } catch {} });
`;

interface Watchdog {
  /** Call it as soon as the process runs: while nobody watches it, it outlives this one. */
  watch(pid: number): void;
  end(): void;
}

/**
 * A killed process cannot end its programs. So a small one watches over each of them: it notices that this process is gone when
 * the pipe between them closes. It starts before the program, because its start takes longer than many a program.
 */
function startWatchdog(): Watchdog {
  const watchdog = spawn(process.execPath, ['-e', watchdogScript], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C in a terminal goes to every process of the group; this one must outlive the others.
    detached: true,
  });
  return {
    watch: (pid) => void watchdog.stdin.write(String(pid)),
    end: () => void watchdog.kill('SIGKILL'),
  };
}

function notStarted(program: string, folder: string, cause: unknown): CloudError {
  const errno = errnoOf(cause);
  const why = errno === 'ENOENT' ? 'it is neither a file nor on the PATH' : errno || 'the system refused';
  return cloudError(
    'USAGE_INVALID',
    `The program "${program}" cannot be started in ${folder}: ${why}.`,
    'Check the name. For a program of the project: npx <name>, or npm exec <name>.',
    { cause },
  );
}
