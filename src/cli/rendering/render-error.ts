import path from 'node:path';
import { wrapAnsi } from 'fast-wrap-ansi';
import { type CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import type { Terminal } from '../terminal/terminal.ts';

export interface ErrorRendering {
  readonly workingFolder: string;
  /** Show the stack and the causes: `--debug`. */
  readonly isDebug: boolean;
}

/** An error for a person: the message, the place, and the next steps. */
export function renderError(terminal: Terminal, error: CloudError, { workingFolder, isDebug }: ErrorRendering): string {
  const { style, columns } = terminal;
  const lines = [wrapped(`${style.red('✖')} ${style.bold(error.message)} ${style.dim(`[${error.code}]`)}`, columns)];
  if (error.location) {
    const { file, line, column, frame } = error.location;
    const place = [path.relative(workingFolder, file) || file, line, column]
      .filter((part) => part !== undefined)
      .join(':');
    lines.push(`  ${style.cyan(place)}`);
    if (frame) lines.push('', ...frame.split('\n').map((text) => clipped(`  ${text}`, columns)), '');
  }
  const steps =
    error.kind === 'bug'
      ? [...error.nextSteps, 'Run it again with --debug and report what it prints.']
      : error.nextSteps;
  for (const step of steps) lines.push(wrapped(`  ${style.green('→')} ${step}`, columns));
  if (isDebug) lines.push('', ...causeChain(error));
  return lines.join('\n');
}

/** Broken between words, the following lines indented below the first. A word that is too long stays whole: it may be a command or a path. */
function wrapped(text: string, columns: number): string {
  const [first = '', ...rest] = wrapAnsi(text, columns - 4, { trim: false }).split('\n');
  return [first.trimEnd(), ...rest.map((line) => `    ${line.trim()}`)].join('\n');
}

function clipped(line: string, columns: number): string {
  return line.length > columns ? `${line.slice(0, columns - 1)}…` : line;
}

/** An error for a script: one object, the same data. */
export function errorJson(error: unknown): { readonly error: ReturnType<typeof reportOfError> } {
  return { error: reportOfError(error) };
}

function causeChain(error: unknown): string[] {
  const chain: string[] = [];
  for (let current = error; current instanceof Error && chain.length < 10; current = current.cause) {
    chain.push(`${isCloudError(current) ? '' : 'Caused by '}${current.stack ?? current.message}`);
  }
  return chain;
}
