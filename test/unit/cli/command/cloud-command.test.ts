import { Config } from '@oclif/core/config';
import { boolean } from '@oclif/core/flags';
import { describe, expect, it } from 'vitest';
import { CloudCommand } from '#cli/command/cloud-command';
import { createStyle } from '#cli/terminal/terminal';
import { wrapResult } from '#cli/terminal/wrap-text';

class Words extends CloudCommand {
  static override strict = false;
  static override flags = { yes: boolean() };

  override async run(): Promise<unknown[]> {
    const { argv } = await this.parse(Words);
    return argv;
  }
}

const wordsOf = async (...typed: string[]) => new Words(typed, await Config.load(process.cwd())).run();

describe('the words of a command', () => {
  it.each([
    ['with equal words apart', ['read', 'orders', 'read', 'on']],
    ['behind two dashes', ['--', 'npm', 'test', '--', '--watch', '--']],
  ])('keep the order in which a person typed them: %s', async (_what, typed) => {
    expect(await wordsOf('--yes', ...typed)).toEqual(typed.slice(typed[0] === '--' ? 1 : 0));
  });

  it('come without the flags between them', async () => {
    expect(await wordsOf('a', '--yes', 'b', 'a')).toEqual(['a', 'b', 'a']);
  });
});

describe('the result of a command', () => {
  const sentence = '✔ Signed in to http://127.0.0.1:3310 as ada@example.test, until 2026-03-01.';

  it('is broken between words on a terminal, and never in a pipe', () => {
    expect(wrapResult(sentence, 60)).toBe(
      '✔ Signed in to http://127.0.0.1:3310 as ada@example.test,\n  until 2026-03-01.',
    );
    expect(wrapResult(sentence, Number.POSITIVE_INFINITY)).toBe(sentence);
  });

  it('keeps the indentation of each line, what fits, and words that are too long', () => {
    const long = 'x'.repeat(70);
    expect(wrapResult(`NAME    VALUE\n  as long as it is ${long}`, 60)).toBe(
      `NAME    VALUE\n  as long as it is\n    ${long}`,
    );
  });

  it('keeps a command in one line where it fits into one', () => {
    const advice = 'Set in staging (revision 3). The next one takes it: vendor-cloud push --env staging';
    expect(wrapResult(advice, 60)).toBe(
      'Set in staging (revision 3). The next one takes it:\n  vendor-cloud push --env staging',
    );
  });

  it('counts no codes of colours', () => {
    const { bold } = createStyle(true);
    expect(wrapResult(`${bold('one')} ${bold('two')} three`, 10)).toBe(`${bold('one')} ${bold('two')}\n  three`);
  });
});
