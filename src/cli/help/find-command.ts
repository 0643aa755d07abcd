import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import { normalizeArgv } from '@oclif/core/help';

export interface FoundCommand {
  readonly command: Command.Loadable;
  /** The remaining words, for the command to parse. */
  readonly parameters: readonly string[];
}

/**
 * The command that the words call, or nothing. Words that the framework takes for a longer name belong to the command
 * they follow, which then says what is wrong with them.
 */
export function findCommand(config: Config, words: readonly string[]): FoundCommand | undefined {
  const [id = '', ...parameters] = normalizeArgv(config, [...words]);
  const exact = config.findCommand(id);
  if (exact) return { command: exact, parameters };
  const index = words.findIndex((word) => !word.startsWith('-'));
  const command = config.findCommand(words[index] ?? '');
  return command && { command, parameters: words.toSpliced(index, 1) };
}
