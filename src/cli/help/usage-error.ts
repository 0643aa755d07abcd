import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import { withoutCredentials } from '#contracts/credential-kind';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { quoted } from '../terminal/next-command.ts';

/** An error of the argument parser as one of the catalogue; any other error as it is. */
export function mapUsageError(
  error: unknown,
  bin: string,
  command: Pick<Command.Loadable, 'id' | 'flags'> | undefined,
): unknown {
  if (!(error instanceof Error) || !isParserError(error)) return error;
  const [reason = error.message] = (unknownFlag(error, command) ?? withoutPreamble(error.message)).split(
    '\nSee more help',
  );
  return cloudError(
    'USAGE_INVALID',
    withFullStop(withoutCredentials(reason.replaceAll(/\s*\n\s*/g, ' '))),
    flagOfPair(error, command) ?? `See how it is called: ${bin} ${(command?.id ?? '').replaceAll(':', ' ')} --help`,
    { cause: error },
  );
}

/** What the help shows of the value of a flag that takes a name and a value. */
const pairPattern = /^<\w+=\w+>$/;

/** A word such as `month=5` belongs to a flag, where the command has one for such words. */
function flagOfPair(error: Error, command: Pick<Command.Loadable, 'flags'> | undefined): string | undefined {
  const [word] = 'args' in error && Array.isArray(error.args) ? (error.args as readonly unknown[]) : [];
  if (typeof word !== 'string' || !/^[^=]+=/.test(word)) return undefined;
  const takesPairs = ([, flag]: [string, Command.Flag.Cached]) =>
    flag.type === 'option' && pairPattern.test(String(flag.helpValue));
  const [name] = Object.entries(command?.flags ?? {}).find(takesPairs) ?? [];
  return name === undefined ? undefined : `Give it with its flag: --${name} ${quoted(withoutCredentials(word))}`;
}

/** What the parser says in lines and columns, as a sentence. */
function withoutPreamble(message: string): string {
  const [missing] = /^Missing \d+ required args?:(?=\n)/.exec(message) ?? [];
  if (missing !== undefined) return `${missing} ${namesIn(message.slice(missing.length))}`;
  return message
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Parsing (--\S+)\s+/, '$1: ')
    .replace(/^\s*Missing required flag (\S+)$/gm, 'Missing required flag --$1.');
}

/** The names in a table of arguments, and what is noted below it. The help has their descriptions. */
function namesIn(message: string): string {
  const [table = ''] = message.split('\nSee more help');
  const [rows = '', ...notes] = table.split('\n\n');
  const names = [...rows.matchAll(/^(\S+)/gm)].map(([name]) => name.toUpperCase());
  return [names.join(', '), ...notes].join('. ');
}

/** Names the flag that was meant. */
function unknownFlag(error: Error, command: Pick<Command.Loadable, 'flags'> | undefined): string | undefined {
  if (!('flags' in error) || !Array.isArray(error.flags)) return undefined;
  const [wanted] = error.flags as readonly unknown[];
  if (typeof wanted !== 'string') return undefined;
  const names = Object.entries(command?.flags ?? {}).flatMap(([name, flag]) =>
    flag.type === 'boolean' && flag.allowNo ? [`--${name}`, `--no-${name}`] : [`--${name}`],
  );
  return `There is no flag ${wanted}.${didYouMean(nearestName(wanted, names))}`;
}

/** There is no such command; names the nearest one, and never runs it. */
export function unknownCommand(config: Config, words: readonly string[]): CloudError {
  const wanted = withoutCredentials(words.join(' '));
  const names = config.commandIDs.map((id) => id.replaceAll(':', ' '));
  // The first word of a command in two words is a good beginning.
  const begun = names.filter((name) => name.startsWith(`${wanted} `));
  if (begun.length > 1) return unfinishedCommand(config.bin, wanted, begun);
  // So is a misspelt one, whose help lists the commands.
  const groups = names.filter((name) => name.includes(' ')).map((name) => name.replace(/ .*/, ''));
  const nearest = begun[0] ?? nearestName(wanted, [...names, ...groups]);
  return cloudError(
    'USAGE_UNKNOWN_COMMAND',
    `There is no command "${wanted}".${didYouMean(nearest)}`,
    nearest ? `${config.bin} ${nearest} --help` : `${config.bin} --help`,
  );
}

function unfinishedCommand(bin: string, wanted: string, names: readonly string[]): CloudError {
  const [first = '', ...others] = names.map((name) => `${bin} ${name}`);
  return cloudError(
    'USAGE_UNKNOWN_COMMAND',
    `"${wanted}" is the beginning of ${names.length} commands, and no command itself.`,
    [first, ...others],
  );
}

/** The framework marks its errors with an exit code. Its parser uses 2 for a wrong call. */
function isParserError(error: Error): boolean {
  return (
    'oclif' in error &&
    typeof error.oclif === 'object' &&
    error.oclif !== null &&
    'exit' in error.oclif &&
    error.oclif.exit === 2
  );
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}
