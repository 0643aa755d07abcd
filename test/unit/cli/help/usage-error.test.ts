import type { Config } from '@oclif/core/config';
import { describe, expect, it } from 'vitest';
import { mapUsageError, unknownCommand } from '#cli/help/usage-error';

const config = { bin: 'vendor-cloud', commandIDs: ['dev', 'permissions:explain', 'push'] } as unknown as Config;

describe('a command that does not exist', () => {
  it.each([
    ['psh', 'push'],
    ['permissions', 'permissions explain'],
    ['permission explain', 'permissions explain'],
    ['permisions', 'permissions'],
  ])('is answered with the one that was meant: %s', (words, meant) => {
    const { message, nextSteps } = unknownCommand(config, words.split(' '));
    expect(message).toContain(`Did you mean "${meant}"?`);
    expect(nextSteps).toEqual([`vendor-cloud ${meant} --help`]);
  });

  it.each([
    ['run lsit Order', 'run lsit', 'run list'],
    ['rnu list Order', 'rnu list', 'run list'],
    ['mcp clients lst a b', 'mcp clients lst', 'mcp clients list'],
    ['update typings', 'update typings', 'update-typings'],
    ['psh now', 'psh', 'push'],
  ])('is named without its arguments: %s', (words, wanted, meant) => {
    const commandIDs = ['run:list', 'run:count', 'mcp', 'mcp:clients:list', 'update-typings', 'push'];
    const { message, nextSteps } = unknownCommand({ ...config, commandIDs } as unknown as Config, words.split(' '));
    expect(message).toBe(`There is no command "${wanted}". Did you mean "${meant}"?`);
    expect(nextSteps).toEqual([`vendor-cloud ${meant} --help`]);
  });

  it('is answered with the help of the commands that begin so', () => {
    const commandIDs = ['run:list', 'run:count'];
    expect(unknownCommand({ ...config, commandIDs } as unknown as Config, ['run', 'Order', 'x'])).toMatchObject({
      message: 'There is no command "run Order".',
      nextSteps: ['vendor-cloud run --help'],
    });
  });

  it('is answered with the help where none is near', () => {
    expect(unknownCommand(config, ['xyzzy'])).toMatchObject({ nextSteps: ['vendor-cloud --help'] });
  });
});

it('the beginning of several commands is answered with all of them', () => {
  const several = { ...config, commandIDs: ['env:list', 'env:use', 'dev'] } as unknown as Config;
  expect(unknownCommand(several, ['env'])).toMatchObject({
    message: '"env" is the beginning of 2 commands, and no command itself.',
    nextSteps: ['vendor-cloud env list', 'vendor-cloud env use'],
  });
});

it.each([
  ['--mesage', 'There is no flag --mesage. Did you mean "--message"?'],
  ['--no-instal', 'There is no flag --no-instal. Did you mean "--no-install"?'],
  ['--xyzzy', 'There is no flag --xyzzy.'],
])('a flag that does not exist is answered with the one that was meant: %s', (flag, message) => {
  const parserError = Object.assign(new Error(`Nonexistent flag: ${flag}`), { flags: [flag], oclif: { exit: 2 } });
  const flags = { message: { type: 'option' }, install: { type: 'boolean', allowNo: true } };
  const command = { id: 'push', flags } as unknown as Parameters<typeof mapUsageError>[2];
  expect(mapUsageError(parserError, 'vendor-cloud', command)).toMatchObject({
    code: 'USAGE_INVALID',
    message,
    nextSteps: ['See how it is called: vendor-cloud push --help'],
  });
});

it('a value that is not one is answered in one line that names the flag', () => {
  const parserError = Object.assign(
    new Error('Parsing --rows \n\tExpected an integer but received: abc\nSee more help with --help'),
    { oclif: { exit: 2 } },
  );
  expect(mapUsageError(parserError, 'vendor-cloud', undefined)).toMatchObject({
    message: '--rows: Expected an integer but received: abc.',
  });
});

it('missing flags are answered in a sentence each', () => {
  const parserError = Object.assign(
    new Error(
      'The following errors occurred:\n  Missing required flag from\n  Missing required flag to\nSee more help with --help',
    ),
    { oclif: { exit: 2 } },
  );
  expect(mapUsageError(parserError, 'vendor-cloud', undefined)).toMatchObject({
    message: 'Missing required flag --from. Missing required flag --to.',
  });
});

it('missing arguments are answered with their names, as the help writes them', () => {
  const parserError = Object.assign(
    new Error(
      'Missing 2 required args:\nuser        Id of the user.\ncollection  Name of it.\n\nNote: --ids goes on.\nSee more help with --help',
    ),
    { oclif: { exit: 2 } },
  );
  expect(mapUsageError(parserError, 'vendor-cloud', undefined)).toMatchObject({
    message: 'Missing 2 required args: USER, COLLECTION. Note: --ids goes on.',
  });
});

it('a credential in place of a command or of an argument is not repeated', () => {
  const secret = `vcu_${'a1'.repeat(32)}`;
  expect(unknownCommand(config, [secret])).toMatchObject({ message: 'There is no command "…".' });
  const parserError = Object.assign(new Error(`Unexpected argument: ${secret}`), { oclif: { exit: 2 } });
  expect(mapUsageError(parserError, 'vendor-cloud', undefined)).toMatchObject({ message: 'Unexpected argument: ….' });
});

it.each([
  ['The following error occurred:\n  Missing required flag to', 'Missing required flag --to.'],
  ['Parsing --timeout \n\tExpected an integer but received: abc', '--timeout: Expected an integer but received: abc.'],
])('a wrong call is reported in one sentence: %j', (text, message) => {
  const parserError = Object.assign(new Error(`${text}\nSee more help with --help`), { oclif: { exit: 2 } });
  expect(mapUsageError(parserError, 'vendor-cloud', undefined)).toMatchObject({ message });
});

it('a name and a value without their flag are answered with the flag to write', () => {
  const parserError = Object.assign(new Error('Unexpected argument: month=5\nSee more help with --help'), {
    args: ['month=5'],
    oclif: { exit: 2 },
  });
  const flags = { parameter: { type: 'option', helpValue: '<name=value>' } };
  const command = { id: 'run:chart', flags } as unknown as Parameters<typeof mapUsageError>[2];
  expect(mapUsageError(parserError, 'vendor-cloud', command)).toMatchObject({
    message: 'Unexpected argument: month=5.',
    nextSteps: ['Give it with its flag: --parameter month=5'],
  });
});
