import type { Reporter } from '#kernel/ports/reporter';
import { renderError } from './render-error.ts';
import type { Terminal } from './terminal.ts';

export interface TerminalReporterOptions {
  /** Whether a spinner can be drawn: only this process writes to the terminal. */
  readonly canAnimate: boolean;
  readonly workingFolder: string;
}

/** Progress on stderr: a spinner in a terminal, plain lines elsewhere, nothing under `--json`. */
export function createTerminalReporter(
  terminal: Terminal,
  { canAnimate, workingFolder }: TerminalReporterOptions,
): Reporter {
  const { style } = terminal;
  return {
    step(title, work) {
      if (terminal.isJson) return work();
      if (canAnimate) return withSpinner(title, work);
      terminal.note(`${style.dim('•')} ${title}`);
      return work();
    },
    info: (message) => terminal.note(message),
    warn(message, nextStep) {
      terminal.note(`${style.yellow('!')} ${message}`);
      if (nextStep) terminal.note(`  ${style.green('→')} ${nextStep}`);
    },
    problem: (error) => terminal.note(renderError(terminal, error, { workingFolder, isDebug: false })),
  };
}

async function withSpinner<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  const { default: ora } = await import('ora');
  // Input stays with the process: keys are read while steps run, and Ctrl-C must arrive.
  const spinner = ora({ text: title, discardStdin: false }).start();
  try {
    const result = await work();
    spinner.succeed();
    return result;
  } catch (error) {
    spinner.fail();
    throw error;
  }
}
