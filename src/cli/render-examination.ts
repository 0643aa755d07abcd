import type { Check } from '#flows/doctor/doctor-check';
import type { Examination } from '#flows/doctor/examine';
import type { Terminal } from './terminal.ts';
import { wrapWords } from './wrap-words.ts';

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
