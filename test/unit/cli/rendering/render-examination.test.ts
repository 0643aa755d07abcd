import { expect, it } from 'vitest';
import { renderExamination } from '#cli/rendering/render-checks';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

const examination = {
  checks: [
    { name: 'Node.js', status: 'ok', message: 'Node.js 24.1.0 runs.', nextSteps: [] },
    {
      name: 'clock',
      status: 'failed',
      message: 'The clock of this machine is 3600 s ahead of that of the platform.',
      nextSteps: ['Set the clock of this machine, best by NTP: tokens are refused otherwise.'],
    },
  ],
  isHealthy: false,
  bundle: null,
} as const;

it('doctor wraps its findings into 60 columns', () => {
  expect(renderExamination(examination, plainTerminal(60)).split('\n')).toEqual([
    '✔ Node.js  Node.js 24.1.0 runs.',
    '✖ clock    The clock of this machine is 3600 s ahead of that',
    '           of the platform.',
    '           → Set the clock of this machine, best by NTP:',
    '             tokens are refused otherwise.',
    '',
    '1 of 2 checks failed.',
  ]);
});

it('doctor wraps nothing in a pipe, where a program reads it', () => {
  expect(renderExamination(examination, plainTerminal())).toContain(
    'The clock of this machine is 3600 s ahead of that of the platform.\n',
  );
});
