import type { Check } from '#flows/doctor/check';
import type { Examination } from '#flows/doctor/examine';
import type { Terminal } from './terminal.ts';

export function renderExamination({ checks, isHealthy, bundle }: Examination, terminal: Terminal): string {
  const { resultStyle } = terminal;
  const marks = {
    ok: resultStyle.green('✔'),
    warning: resultStyle.yellow('!'),
    failed: resultStyle.red('✖'),
    skipped: resultStyle.dim('-'),
  };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ status, name, message, nextSteps }: Check) => [
    `${marks[status]} ${name.padEnd(width)}  ${message}`,
    ...nextSteps.map((step) => `${' '.repeat(width + 4)}${resultStyle.green('→')} ${step}`),
  ]);
  const failures = checks.filter(({ status }) => status === 'failed').length;
  const verdict = isHealthy ? 'Nothing is in the way.' : `${failures} of ${checks.length} checks failed.`;
  const written = bundle === null ? [] : [`The support bundle is ${bundle}. Read it before you send it.`];
  return [...lines, '', verdict, ...written].join('\n');
}
