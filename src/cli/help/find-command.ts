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
  if (exact) return unlessOfTopic(config, { command: exact, parameters });
  const index = words.findIndex((word) => !word.startsWith('-'));
  const command = config.findCommand(words[index] ?? '');
  return command && unlessOfTopic(config, { command, parameters: words.toSpliced(index, 1) });
}

/** Behind a command that takes no words, and begins the names of others, a word is meant for the name of one of these. */
function unlessOfTopic(config: Config, found: FoundCommand): FoundCommand | undefined {
  const { command, parameters } = found;
  const isOfTopic =
    parameters[0]?.startsWith('-') === false &&
    Object.keys(command.args).length === 0 &&
    config.commandIDs.some((id) => id.startsWith(`${command.id}:`));
  return isOfTopic ? undefined : found;
}
