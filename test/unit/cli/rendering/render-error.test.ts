import { describe, expect, it } from 'vitest';
import { renderError } from '#cli/rendering/render-error';
import { cloudError } from '#kernel/errors/cloud-error';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

const options = { workingFolder: '/project', isDebug: false };

const error = cloudError(
  'BUILD_FAILED',
  'The customization code does not compile: Expected identifier but found a number that nobody expected.',
  'Correct the place shown and save.',
  {
    location: { file: '/project/src/index.ts', line: 2, column: 9, frame: `> 2 | ${'x'.repeat(200)}` },
    cause: new TypeError('underneath'),
  },
);

describe('renderError', () => {
  it('says what, where and what to do next', () => {
    expect(renderError(plainTerminal(), error, options).split('\n')).toEqual([
      '✖ The customization code does not compile: Expected identifier but found a number that nobody expected. [BUILD_FAILED]',
      '  src/index.ts:2:9',
      '',
      `  > 2 | ${'x'.repeat(200)}`,
      '',
      '  → Correct the place shown and save.',
    ]);
  });

  it('stays within the width of the terminal and breaks between words', () => {
    const lines = renderError(plainTerminal(80), error, options).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.slice(0, 2)).toEqual([
      '✖ The customization code does not compile: Expected identifier but found a',
      '    number that nobody expected. [BUILD_FAILED]',
    ]);
  });

  it('keeps a long command in one piece', () => {
    const step = `vendor-cloud ${'a'.repeat(100)}`;
    const narrow = cloudError('USAGE_INVALID', 'No.', step);
    expect(renderError(plainTerminal(40), narrow, options)).toContain('a'.repeat(100));
  });

  it('shows stack and causes only when asked to', () => {
    expect(renderError(plainTerminal(80), error, options)).not.toContain('underneath');
    expect(renderError(plainTerminal(80), error, { ...options, isDebug: true })).toContain(
      'Caused by TypeError: underneath',
    );
  });

  it('asks to report a bug', () => {
    const bug = cloudError('INTERNAL_BUG', 'Something unexpected happened.');
    expect(renderError(plainTerminal(80), bug, options)).toContain('--debug');
  });
});
