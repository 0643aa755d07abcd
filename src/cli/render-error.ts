import path from 'node:path';
import { type CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import type { Terminal } from './terminal.ts';

export interface ErrorRendering {
  readonly workingFolder: string;
  /** With the stack and the causes: `--debug`. */
  readonly isDebug: boolean;
}

/** An error for a person: what and why, where, and what to do next. */
export function renderError(terminal: Terminal, error: CloudError, { workingFolder, isDebug }: ErrorRendering): string {
  const { style } = terminal;
  const lines = [`${style.red('✖')} ${style.bold(error.message)} ${style.dim(`[${error.code}]`)}`];
  if (error.location) {
    const { file, line, column, frame } = error.location;
    const place = [path.relative(workingFolder, file) || file, line, column]
      .filter((part) => part !== undefined)
      .join(':');
    lines.push(`  ${style.cyan(place)}`);
    if (frame) lines.push('', ...frame.split('\n').map((text) => `  ${text}`), '');
  }
  const steps =
    error.kind === 'bug'
      ? [...error.nextSteps, 'Run it again with --debug and report what it prints.']
      : error.nextSteps;
  for (const step of steps) lines.push(`  ${style.green('→')} ${step}`);
  if (isDebug) lines.push('', ...causeChain(error));
  return lines.join('\n');
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
