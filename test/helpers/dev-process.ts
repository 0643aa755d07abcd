import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface DevLine {
  readonly event?: string;
  readonly [key: string]: unknown;
}

/** How long a process may write nothing before a test gives up on it, in milliseconds. */
const silenceMs = 10 * 60_000;

/** A `vendor-cloud … --json` process whose events are read one by one. */
export class DevProcess {
  readonly child: ChildProcess;
  readonly lines: DevLine[] = [];
  /** What it wrote to stderr so far. */
  stderr = '';
  #read = 0;
  #wake: (() => void) | undefined;
  #isOver = false;

  constructor(
    bin: string,
    parameters: readonly string[],
    options: {
      readonly cwd: string;
      readonly env?: Record<string, string>;
      /** A program, with words before the command that it is to start. */
      readonly through?: readonly [string, ...string[]];
    },
  ) {
    const env = { ...process.env, ...options.env };
    const words = [...(options.through ?? []), process.execPath, bin, ...parameters, '--json'];
    const child = spawn(String(words[0]), words.slice(1), {
      cwd: options.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    createInterface({ input: child.stdout })
      .on('line', (line) => {
        this.lines.push(JSON.parse(line) as DevLine);
        this.#wake?.();
      })
      .on('close', () => {
        this.#isOver = true;
        this.#wake?.();
      });
  }

  /**
   * The next event of that name; those before it are passed over. Rejects with what the process said last when it ends
   * without the event, or says nothing for long.
   */
  async next(event: string): Promise<DevLine> {
    return this.nextWhere((line) => line.event === event, `"${event}"`);
  }

  /** The same for the next line that `isWanted` accepts. `name` says in an error what it was. */
  async nextWhere(isWanted: (line: DevLine) => boolean, name: string): Promise<DevLine> {
    for (;;) {
      const line = this.lines[this.#read];
      if (line) {
        this.#read++;
        if (isWanted(line)) return line;
      } else if (this.#isOver) {
        const exitCode = await this.ended();
        throw new Error(`The process ended (${exitCode}) without ${name}. ${this.#lastWords()}`);
      } else if (!(await this.#hasNews())) {
        throw new Error(`The process was silent for ${silenceMs} ms before ${name}. ${this.#lastWords()}`);
      }
    }
  }

  /** Whether it wrote a line or ended before the time for silence was over. */
  async #hasNews(): Promise<boolean> {
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), silenceMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  #lastWords(): string {
    return `It said ${JSON.stringify(this.lines.slice(-3))} ${this.stderr}`;
  }

  /** The exit code, once it has ended. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  /** Ctrl-C; resolves with the exit code. */
  async interrupt(): Promise<number | null> {
    this.child.kill('SIGINT');
    return this.ended();
  }
}
