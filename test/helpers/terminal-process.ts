import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { endWithTest } from './end-with-test.ts';

/** A process in a terminal of its own, 80 columns wide. It ends with the test. */
export class TerminalProcess {
  readonly child: ChildProcess;
  screen = '';
  #wake: (() => void) | undefined;

  constructor(command: string, cwd: string, variables: Readonly<Record<string, string>> = {}) {
    const env = {
      ...process.env,
      TERM: 'xterm',
      CI: '',
      NO_COLOR: '',
      COLUMNS: '80',
      NO_UPDATE_NOTIFIER: '1',
      ...variables,
    };
    const child = spawn('script', ['-qfec', `stty cols 80; exec ${command}`, '/dev/null'], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.screen += stripVTControlCharacters(text);
      this.#wake?.();
    });
    child.once('exit', () => this.#wake?.());
    // As people end it: the processes that it started end with it.
    endWithTest(child, () => this.press('\u0003'));
  }

  press(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Wait until the screen shows it; what was on the screen before `from` does not count. */
  async shows(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.screen.slice(from));
      if (match) return match;
      if (this.child.exitCode !== null)
        throw new Error(`The process ended and never showed ${pattern}:\n${this.screen}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Whether a process can get a terminal here, or why not. */
export function canOpenTerminal(): true | string {
  try {
    execFileSync('script', ['-qfec', 'true', '/dev/null'], { stdio: 'pipe' });
    return true;
  } catch (error) {
    return `no terminal can be opened: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}
