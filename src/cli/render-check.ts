import path from 'node:path';
import type { CheckResult } from '#flows/check/check';
import type { ErrorReport } from '#kernel/errors/error-report';
import { singleLine } from './table.ts';
import type { Terminal } from './terminal.ts';

const titles: Readonly<Record<CheckResult['steps'][number]['name'], string>> = {
  bundle: 'bundle',
  types: 'types',
  load: 'load and compile',
  permissions: 'permissions.json',
  typings: 'generated types',
  schema: 'schema.json',
};

/** Problems of one step that are shown; the JSON has all of them. */
const maxShown = 10;

/** One line a step, and below it what is wrong. */
export function renderCheck({ steps, isPassed }: CheckResult, { resultStyle: style }: Terminal): string {
  const marks = { passed: style.green('✔'), failed: style.red('✖'), skipped: style.dim('-') };
  const lines = steps.flatMap(({ name, state, note, problems, warnings = [] }) => [
    `${marks[state]} ${titles[name]}${note ? style.dim(` · ${note}`) : ''}`,
    ...problems.slice(0, maxShown).flatMap((problem) => problemLines(problem, style)),
    ...warnings.map((warning) => `  ${style.yellow('!')} ${singleLine(warning)}`),
    ...(problems.length > maxShown ? [`  … and ${problems.length - maxShown} more`] : []),
  ]);
  const failures = steps.filter(({ state }) => state === 'failed').length;
  const verdict = isPassed
    ? `${style.green('✔')} The project can be pushed.`
    : `${style.red('✖')} ${failures === 1 ? 'One check fails' : `${failures} checks fail`}.`;
  return [...lines, '', verdict].join('\n');
}

function problemLines(
  { message, code, location, nextSteps }: ErrorReport,
  style: Terminal['style'],
): readonly string[] {
  const place = location && [path.relative('', location.file) || location.file, location.line, location.column];
  return [
    `  ${message} ${style.dim(`[${code}]`)}`,
    ...(place ? [`    ${style.cyan(place.filter((part) => part !== undefined).join(':'))}`] : []),
    ...(location?.frame ? location.frame.split('\n').map((line) => `    ${line}`) : []),
    ...nextSteps.map((step) => `    ${style.green('→')} ${step}`),
  ];
}
