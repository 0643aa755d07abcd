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

/** There is no such command; names the nearest one, and never runs it. Its arguments are not part of the name. */
export function unknownCommand(config: Config, words: readonly string[]): CloudError {
  const names = config.commandIDs.map((id) => id.replaceAll(':', ' '));
  // The first word of a command in two words is a good beginning.
  const begun = names.filter((name) => name.startsWith(`${words.join(' ')} `));
  if (begun.length > 1) return unfinishedCommand(config.bin, withoutCredentials(words.join(' ')), begun);
  const { wanted, nearest, group } = begun[0] ? { wanted: words, nearest: begun[0] } : meantCommand(names, words);
  const helped = nearest ?? group;
  return cloudError(
    'USAGE_UNKNOWN_COMMAND',
    `There is no command "${withoutCredentials(wanted.join(' '))}".${didYouMean(nearest)}`,
    helped ? `${config.bin} ${helped} --help` : `${config.bin} --help`,
  );
}

interface MeantCommand {
  /** The words that were taken for its name. */
  readonly wanted: readonly string[];
  readonly nearest?: string | undefined;
  /** The commands that begin with these words. */
  readonly group?: string | undefined;
}

/** The words of a name are followed by others, so that names of as many words are looked through, longer ones first. */
function meantCommand(names: readonly string[], words: readonly string[]): MeantCommand {
  // A misspelt beginning is a good one too: its help lists the commands.
  const groups = new Set(names.flatMap(beginningsOf));
  const known = [...names, ...groups];
  for (let length = Math.min(words.length, mostWords(names)); length > 1; length -= 1) {
    const wanted = words.slice(0, length);
    const alike = known.filter((name) => name.split(' ').length === length);
    const nearest = nearestName(wanted.join(' '), alike);
    if (nearest !== undefined && nearest !== wanted.join(' ')) return { wanted, nearest };
  }
  const nearest = nearestName(words.join(' '), known);
  if (nearest !== undefined) return { wanted: words, nearest };
  const group = beginningsOf(words.join(' ')).findLast((beginning) => groups.has(beginning));
  if (group !== undefined) return { wanted: words.slice(0, group.split(' ').length + 1), group };
  const wanted = words.slice(0, 1);
  return { wanted, nearest: nearestName(wanted.join(' '), known) };
}

/** `mcp` and `mcp clients` of `mcp clients list`. */
function beginningsOf(name: string): readonly string[] {
  const words = name.split(' ');
  return words.slice(1).map((_word, index) => words.slice(0, index + 1).join(' '));
}

function mostWords(names: readonly string[]): number {
  return Math.max(1, ...names.map((name) => name.split(' ').length));
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
