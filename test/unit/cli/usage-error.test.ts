import type { Config } from '@oclif/core/config';
import { describe, expect, it } from 'vitest';
import { unknownCommand } from '#cli/usage-error';

const config = { bin: 'vendor-cloud', commandIDs: ['dev', 'permissions:explain', 'push'] } as unknown as Config;

describe('a command that does not exist', () => {
  it.each([
    ['psh', 'push'],
    ['permissions', 'permissions explain'],
    ['permission explain', 'permissions explain'],
  ])('is answered with the one that was meant: %s', (words, meant) => {
    const { message, nextSteps } = unknownCommand(config, words.split(' '));
    expect(message).toContain(`Did you mean "${meant}"?`);
    expect(nextSteps).toEqual([`vendor-cloud ${meant} --help`]);
  });

  it('is answered with the help where none is near', () => {
    expect(unknownCommand(config, ['xyzzy'])).toMatchObject({ nextSteps: ['vendor-cloud --help'] });
  });
});
