import type { Ora } from 'ora';
import type { Reporter, TellProgress } from '#kernel/ports/reporter';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapResult } from '../terminal/wrap-text.ts';
import { renderError } from './render-error.ts';

export interface TerminalReporterOptions {
  /** Whether a spinner can be drawn: only this process writes to the terminal. */
  readonly canAnimate: boolean;
  readonly workingFolder: string;
}

/** Progress on stderr: a spinner in a terminal that knows its width, plain lines elsewhere, nothing under `--json`. */
export function createTerminalReporter(
  terminal: Terminal,
  { canAnimate, workingFolder }: TerminalReporterOptions,
): Reporter {
  const { style } = terminal;
  const withSpinner = sharedSpinner();
  // A serial line and a terminal of a container give 0 columns until somebody sets them. The spinner would draw without end.
  const hasWidth = () => Number.isFinite(terminal.columns);
  return {
    step(title, work) {
      if (terminal.isJson) return work(() => undefined);
      if (canAnimate && hasWidth()) return withSpinner(title, work);
      const note = (said: string) => terminal.note(`${style.dim('•')} ${said}`);
      note(title);
      return work(seldom((howFar) => note(`${title}: ${howFar}`)));
    },
    info: (message) => terminal.note(wrapResult(message, terminal.columns)),
    warn(message, nextStep) {
      terminal.note(wrapResult(`${style.yellow('!')} ${message}`, terminal.columns));
      if (nextStep) terminal.note(wrapResult(`  ${style.green('→')} ${nextStep}`, terminal.columns));
    },
    problem: (error) => terminal.note(renderError(terminal, error, { workingFolder, isDebug: false })),
  };
}

/** How often a line says how far a step is, in milliseconds. */
const lineEveryMs = 10_000;

function seldom(tell: TellProgress): TellProgress {
  let nextAt = performance.now() + lineEveryMs;
  return (howFar) => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + lineEveryMs;
    tell(howFar);
  };
}

/** One spinner for all the steps that run at the same time: two of them would draw over each other. */
function sharedSpinner(): Reporter['step'] {
  const running: string[] = [];
  let spinner: Ora | undefined;
  return async (title, work) => {
    const { default: ora } = await import('ora');
    // Input stays with the process: keys are read while steps run, and Ctrl-C must arrive.
    spinner ??= ora({ discardStdin: false });
    const shown = spinner;
    const end = (show: (title: string) => void) => {
      running.splice(running.indexOf(title), 1);
      show(title);
      if (running.length > 0) shown.start(running.join(' · '));
    };
    running.push(title);
    shown.start(running.join(' · '));
    try {
      const result = await work((howFar) => {
        shown.text = running.map((each) => (each === title ? `${title}: ${howFar}` : each)).join(' · ');
      });
      end((text) => shown.succeed(text));
      return result;
    } catch (error) {
      end((text) => shown.fail(text));
      throw error;
    }
  };
}
