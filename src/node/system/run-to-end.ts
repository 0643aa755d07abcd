import { constants, setPriority } from 'node:os';
import type { ToolResult } from '#kernel/ports/programs';
import { errnoOf } from '../files/file-errors.ts';

export interface ProgramToRun {
  /** Its name on the search path, or its absolute path. */
  readonly program: string;
  readonly parameters: readonly string[];
  readonly folder: string;
  /** Every variable it gets. Default: those of this process. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | undefined;
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether it is not asked to end, but ended. Default: it is asked, and has five seconds. */
  readonly isKilled?: boolean | undefined;
  /** Whether it gets only what others leave of the processor. */
  readonly isBackground?: boolean | undefined;
}

/** How long a program has to end after it was asked to. */
const graceMs = 5_000;

/** Run a program without a shell, and keep what it writes. Resolves when the program is gone, whatever the outcome is. */
export async function runToEnd(run: ProgramToRun): Promise<ToolResult> {
  const { program, parameters, folder, variables, input = '', deadlineMs, signal, isKilled, isBackground } = run;
  const { default: spawnProgram } = await import('cross-spawn');
  if (signal?.aborted) return { exitCode: null, stdout: '', stderr: '' };
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  const child = spawnProgram(program, parameters, { cwd: folder, env: variables, stdio: 'pipe' });
  if (isBackground && child.pid !== undefined) yieldToOthers(child.pid);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  // A program may end before it has read its input.
  child.stdin?.on('error', () => undefined).end(input);

  let force: NodeJS.Timeout | undefined;
  const end = () => {
    // What the program has started may hold its pipes open.
    child.once('exit', () => void [child.stdout?.destroy(), child.stderr?.destroy()]);
    child.kill(isKilled ? 'SIGKILL' : 'SIGTERM');
    force ??= setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  const deadline = deadlineMs === undefined ? undefined : setTimeout(end, deadlineMs);
  signal?.addEventListener('abort', end, { once: true });
  process.once('exit', end);
  // A program that could not be started has a negative code, and its error says nothing else.
  child.once('error', () => undefined).once('close', (code) => resolve(code !== null && code < 0 ? null : code));

  const exitCode = await ended;
  clearTimeout(deadline);
  clearTimeout(force);
  signal?.removeEventListener('abort', end);
  process.off('exit', end);
  return { exitCode, stdout: withoutLastBreak(written.stdout), stderr: withoutLastBreak(written.stderr) };
}

function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch (error) {
    // It may have ended already.
    if (errnoOf(error) !== 'ERR_SYSTEM_ERROR') throw error;
  }
}

function withoutLastBreak(text: string): string {
  return text.replace(/\r?\n$/, '');
}
