import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CloudError } from '#kernel/errors/cloud-error';
import type { ProgramEnd, Programs, RunningProgram, ScriptEnd, ScriptInput } from '#kernel/ports/programs';
import { errnoOf } from '../files/file-errors.ts';

export const systemPrograms: Programs = { start, runScript };

async function start({ words, folder, variables, output }: Parameters<Programs['start']>[0]): Promise<RunningProgram> {
  const { execa } = await import('execa');
  const [program = '', ...parameters] = words;
  const child = execa(program, parameters, {
    cwd: folder,
    env: variables,
    extendEnv: false,
    reject: false,
    stdin: 'inherit',
    stdout: output === 'stdout' ? 'inherit' : process.stderr,
    stderr: 'inherit',
    buffer: false,
    // Whether it ends is its own decision.
    forceKillAfterDelay: false,
  });
  if (child.pid === undefined) throw notStarted(program, folder, (await child).cause);
  const release = endWithThisProcess(child.pid);
  return {
    ended: child.then(({ exitCode, signal }) => {
      release();
      return endOf(exitCode, signal);
    }),
    send: (signal) => void child.kill(signal as NodeJS.Signals),
  };
}

async function runScript({ script, parameters, folder, signal }: ScriptInput): Promise<ScriptEnd | undefined> {
  const { execa } = await import('execa');
  const { exitCode, stdout } = await execa(process.execPath, [script, ...parameters], {
    cwd: folder,
    reject: false,
    cancelSignal: signal,
    stdin: 'ignore',
    stderr: 'ignore',
  });
  return signal.aborted ? undefined : { exitCode: exitCode ?? 1, stdout };
}

function endOf(exitCode: number | undefined, signal: NodeJS.Signals | undefined): ProgramEnd {
  if (signal === undefined) return { exitCode: exitCode ?? 1, signal: null };
  return { exitCode: 128 + constants.signals[signal], signal };
}

/** Reads until the writer is gone, then ends the process of that pid. */
const watchdog = (pid: number) =>
  `process.stdin.resume().on('close', () => { try { process.kill(${pid}); } catch {} });`;

/**
 * A killed process cannot end its programs. So a small one watches over each of them: it notices that this process is gone when
 * the pipe between them closes. Returns how to call it off.
 */
function endWithThisProcess(pid: number): () => void {
  const watcher = spawn(process.execPath, ['-e', watchdog(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C in a terminal goes to every process of the group; this one must outlive the others.
    detached: true,
  });
  return () => void watcher.kill('SIGKILL');
}

function notStarted(program: string, folder: string, cause: unknown): CloudError {
  const errno = errnoOf(cause);
  const why = errno === 'ENOENT' ? 'it is neither a file nor on the PATH' : errno || 'the system refused';
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `The program "${program}" cannot be started in ${folder}: ${why}.`,
    nextSteps: ['Check the name. For a program of the project: npx <name>, or npm exec <name>.'],
    cause,
  });
}
