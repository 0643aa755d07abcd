import { describe, expect, it } from 'vitest';
import { githubAnnotations, renderExamination, renderTypeErrors } from '#cli/rendering/render-checks';
import { cloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
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

const error = reportOfError(
  cloudError('BUILD_FAILED', '100 % wrong:\nreally', 'To fix it.', {
    location: { file: '/home/ada/app/src/a,b.ts', line: 3, column: 7 },
  }),
);

describe('annotations of GitHub', () => {
  it('point at the place in the repository, and carry the whole message in one line', () => {
    const variables = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: '/home/ada' };
    expect(githubAnnotations([error], variables)).toEqual([
      '::error title=BUILD_FAILED,file=app/src/a%2Cb.ts,line=3,col=7::100 %25 wrong:%0Areally%0A→ To fix it.',
    ]);
  });

  it('are left out elsewhere', () => {
    expect(githubAnnotations([error], { CI: 'true' })).toEqual([]);
  });
});

const problem = (file: string, code: string) => ({ file, line: 1, column: 1, code, message: 'm', frame: '> 1 | x' });
const headings = (problems: readonly ReturnType<typeof problem>[]) =>
  renderTypeErrors(problems, plainTerminal(), '/shop')
    .split('\n')
    .filter((line) => line.startsWith('!'));

it('says of a file that does not parse that it does not parse, and nothing of what is served', () => {
  expect(headings([problem('/shop/src/other.ts', 'TS1005'), problem('/shop/src/other.ts', 'TS1109')])).toEqual([
    '! src/other.ts does not parse.',
  ]);
});

it('says that code with a wrong type is served', () => {
  expect(headings([problem('/shop/src/a.ts', 'TS2322'), problem('/shop/src/b.ts', 'TS1192')])).toEqual([
    '! 2 type errors. The code is served all the same.',
  ]);
  expect(headings([problem('/shop/src/a.ts', 'TS1005'), problem('/shop/src/b.ts', 'TS2322')])).toEqual([
    '! src/a.ts does not parse.',
    '! One type error. The code is served all the same.',
  ]);
});
