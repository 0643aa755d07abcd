import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

/**
 * The help as data, for `--help --json`: of one command, of those that begin with a word, or of all of them.
 *
 * @param group the word.
 */
export function helpDocument(config: Config, command: Command.Loadable | undefined, group?: string | undefined) {
  if (command) return { command: describeCommand(config, command) };
  return {
    name: config.bin,
    version: config.version,
    commands: config.commands
      .filter(({ id, hidden }) => !hidden && (group === undefined || id.startsWith(`${group}:`)))
      .map((each) => describeCommand(config, each)),
    exitCodes,
  };
}

function describeCommand(config: Config, command: Command.Loadable) {
  return {
    id: command.id.replaceAll(':', ' '),
    summary: command.summary,
    aliases: command.aliases,
    arguments: Object.entries(command.args).map(([name, argument]) => ({
      name,
      description: argument.description,
      isRequired: argument.required === true,
      default: argument.default,
    })),
    flags: Object.entries(command.flags)
      .filter(([, flag]) => !flag.hidden)
      .map(([name, flag]) => ({
        name: `--${name}`,
        char: flag.char,
        description: flag.summary ?? flag.description,
        isRequired: flag.required === true,
        environment: flag.env,
        ...(flag.type === 'option' ? { options: flag.options, default: flag.default } : {}),
      })),
    examples: (command.examples ?? []).map((example) =>
      fillIn(config, typeof example === 'string' ? example : example.command),
    ),
  };
}

function fillIn(config: Config, text: string): string {
  return text.replaceAll('<%= config.bin %>', config.bin);
}
