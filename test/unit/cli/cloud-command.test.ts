import { Config } from '@oclif/core/config';
import { boolean } from '@oclif/core/flags';
import { describe, expect, it } from 'vitest';
import { CloudCommand } from '#cli/cloud-command';

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
