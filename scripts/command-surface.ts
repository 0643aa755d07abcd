import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';
import { jsonAnswers } from './json-answers.ts';

const globalFlags = ['json', 'debug', 'color'];

/** All that scripts may rely on: the commands, their arguments, flags and answers, and the exit codes. */
function commandSurface(config: Config) {
  const commands = config.commands.filter(({ id, hidden, aliases }) => !hidden && !aliases.includes(id));
  const answers = jsonAnswers(
    config.root,
    commands.map(({ id }) => id),
  );
  const first = commands[0]?.flags ?? {};
  return {
    exitCodes,
    globalFlags: Object.fromEntries(globalFlags.map((name) => [name, surfaceOfFlag(first[name])])),
    commands: Object.fromEntries(
      commands
        .sort((one, other) => one.id.localeCompare(other.id))
        .map(({ id, aliases, args, flags }) => [
          id.replaceAll(':', ' '),
          {
            aliases: aliases.map((alias) => alias.replaceAll(':', ' ')),
            arguments: Object.entries(args).map(([name, { required }]) => ({ name, isRequired: required === true })),
            flags: Object.fromEntries(
              Object.entries(flags)
                .filter(([name, { hidden }]) => !hidden && !globalFlags.includes(name))
                .sort(([one], [other]) => one.localeCompare(other))
                .map(([name, flag]) => [name, surfaceOfFlag(flag)]),
            ),
            answer: answers[id],
          },
        ]),
    ),
  };
}

function surfaceOfFlag(flag: Command.Flag.Cached | undefined) {
  if (!flag) return undefined;
  const { type, char, env, required } = flag;
  const own = type === 'option' ? { options: flag.options, default: flag.default, isMultiple: flag.multiple } : {};
  const hasNo = type === 'boolean' ? flag.allowNo : undefined;
  return { type, char, variable: env, isRequired: required, hasNo, ...own };
}

/** A flag, and a part of an answer, is a line of the file. */
const linesDeep = 4;

/** `schemas/command-line.json` */
export function commandSurfaceText(config: Config): string {
  return `${inLines(commandSurface(config), linesDeep)}\n`;
}

/** JSON whose objects are spread over lines down to a depth. */
function inLines(value: unknown, depth: number, indent = ''): string {
  const isSpread = depth > 0 && typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isSpread) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  if (entries.length === 0) return '{}';
  const lines = entries.map(
    ([name, member]) => `${indent}  ${JSON.stringify(name)}: ${inLines(member, depth - 1, `${indent}  `)}`,
  );
  return `{\n${lines.join(',\n')}\n${indent}}`;
}
