import path from 'node:path';
import type { Check } from '#contracts/checks';
import type { CheckResult } from '#flows/check/check';
import type { Examination } from '#flows/doctor/doctor';
import type { ErrorReport } from '#kernel/errors/error-report';
import type { TypeProblem } from '#project/index';
import { singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-text.ts';

const titles: Readonly<Record<CheckResult['steps'][number]['name'], string>> = {
  bundle: 'bundle',
  types: 'types',
  load: 'load and compile',
  permissions: 'permissions.json',
  typings: 'generated types',
  schema: 'schema.json',
  insights: 'insights',
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

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Errors as commands of a GitHub workflow, which shows them at their lines in a pull request; none anywhere else.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations(errors: readonly ErrorReport[], variables: Variables): readonly string[] {
  if (variables['GITHUB_ACTIONS'] !== 'true') return [];
  return errors.map((error) => `::error ${properties(error, variables)}::${escaped(textOf(error))}`);
}

function properties({ code, location }: ErrorReport, { GITHUB_WORKSPACE: workspace }: Variables): string {
  const given = {
    title: code,
    file: location && (workspace ? path.relative(workspace, location.file) : location.file),
    line: location?.line,
    col: location?.column,
  };
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`)
    .join(',');
}

function textOf({ message, nextSteps }: ErrorReport): string {
  return [message, ...nextSteps.map((step) => `→ ${step}`)].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Codes of errors for which a file is not TypeScript at all. */
const syntaxCode = /^TS1(0\d\d|1[0-8]\d)$/;

/** What the compiler says of the project, the first errors with the lines around them. */
export function renderTypeErrors(errors: readonly TypeProblem[], { style }: Terminal, workingFolder: string): string {
  if (errors.length === 0) return `${style.green('✔')} The types are right again.`;
  const broken = [...new Set(errors.filter(({ code }) => syntaxCode.test(code)).map(({ file }) => file))];
  const ofTypes = errors.filter(({ code }) => !syntaxCode.test(code)).length;
  const count = ofTypes === 1 ? 'One type error' : `${ofTypes} type errors`;
  const shown = errors.filter(({ frame }) => frame !== undefined);
  const more = errors.length - shown.length;
  return [
    ...broken.map((file) => `${style.yellow('!')} ${path.relative(workingFolder, file)} does not parse.`),
    ...(ofTypes > 0 ? [`${style.yellow('!')} ${count}. The code is served all the same.`] : []),
    ...shown.flatMap(({ file, line, column, code, message, frame = '' }) => [
      `  ${style.cyan(`${path.relative(workingFolder, file)}:${line}:${column}`)} ${message.split('\n', 1)[0]} ${style.dim(`[${code}]`)}`,
      '',
      ...frame.split('\n').map((text) => `  ${text}`),
      '',
    ]),
    ...(more > 0 ? [style.dim(`  and ${more} more: vendor-cloud check`)] : []),
  ].join('\n');
}

export function renderExamination(
  { checks, isHealthy, bundle }: Examination,
  { resultStyle, resultColumns: columns }: Terminal,
): string {
  const marks = {
    ok: resultStyle.green('✔'),
    warning: resultStyle.yellow('!'),
    failed: resultStyle.red('✖'),
    skipped: resultStyle.dim('-'),
  };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ status, name, message, nextSteps }: Check) => [
    ...wrapWords(message, `${marks[status]} ${name.padEnd(width)}  `, width + 4, columns),
    ...nextSteps.flatMap((step) =>
      wrapWords(step, `${' '.repeat(width + 4)}${resultStyle.green('→')} `, width + 6, columns),
    ),
  ]);
  const failures = checks.filter(({ status }) => status === 'failed').length;
  const verdict = isHealthy ? 'Nothing is in the way.' : `${failures} of ${checks.length} checks failed.`;
  const written = bundle === null ? [] : [`The support bundle is ${bundle}. Read it before you send it.`];
  return [...lines, '', verdict, ...written].join('\n');
}
