import type { Config } from '@oclif/core/config';
import { CommandHelp, Help } from '@oclif/core/help';
import { type VariableDefinition, variables } from '#kernel/environment/variables';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';
import { renderTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-text.ts';

const usualWidth = 80;

/** A flag that may be repeated has an empty list as its default, which the framework shows as `default: ,`. */
class PlainCommandHelp extends CommandHelp {
  protected override flags(flags: Parameters<CommandHelp['flags']>[0]): ReturnType<CommandHelp['flags']> {
    return super.flags(flags.map((flag) => (isEmptyList(flag.default) ? { ...flag, default: undefined } : flag)));
  }
}

/** The help of commands and of groups of commands, as text. */
export class PlainHelp extends Help {
  protected override CommandHelpClass = PlainCommandHelp;

  readonly #width: number;

  /** @param width of the terminal in characters. */
  constructor(config: Config, width: number) {
    // In narrow terminals the framework counts two characters too few.
    super(config, { ...config.pjson.oclif.helpOptions, ...(width < usualWidth ? { maxWidth: width - 2 } : {}) });
    this.#width = width;
  }

  protected override summary(command: Parameters<Help['summary']>[0]): string | undefined {
    const text = super.summary(command);
    return text === undefined ? undefined : this.#headWrapped(text);
  }

  protected override formatTopic(topic: Parameters<Help['formatTopic']>[0]): string {
    return this.#headWrapped(super.formatTopic(topic));
  }

  override formatRoot(): string {
    return this.#headWrapped(super.formatRoot());
  }

  /** The framework leaves the first line to the terminal, which would break it inside a word. */
  #headWrapped(text: string): string {
    const [head = '', ...rest] = text.split('\n');
    return [...wrapWords(head, '', 0, this.#width), ...rest].join('\n');
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** What `help <topic>` tells beside the commands, as a title and a table. */
interface HelpTopic {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'What was asked for is done.',
  failed: 'The project or the input is at fault, or a check does not hold.',
  usage: 'The command was called wrongly, or needs an answer and there is no terminal.',
  authentication: 'Nobody is signed in, or the token is not accepted.',
  platform: 'The platform or the network failed.',
  conflict: 'Something has changed meanwhile, or cannot be verified.',
  timeout: 'It took too long.',
  machine: 'A port, the disk, a certificate or a permission of this machine is in the way.',
  bug: 'A fault in vendor-cloud.',
  interrupted: 'Ctrl-C or a termination signal.',
};

const topics: Readonly<Record<string, HelpTopic>> = {
  'exit-codes': {
    title: 'Every command ends with one of these codes.',
    header: ['CODE', 'NAME', 'MEANING'],
    rows: Object.entries(exitCodes).map(([name, code]) => [
      String(code),
      name,
      meanings[name as keyof typeof exitCodes],
    ]),
  },
  environment: {
    title: 'Variables that commands read. A flag wins over its variable; "config explain" shows what counts.',
    header: ['VARIABLE', 'WHAT IT IS'],
    rows: Object.entries<VariableDefinition>(variables).map(([name, { description }]) => [
      name,
      description.replaceAll('`', ''),
    ]),
  },
};

/** A topic as data, and as text; `undefined` if no topic has that name. */
export function helpTopic(name: string, terminal: Terminal) {
  const topic = topics[name];
  if (!topic) return undefined;
  const { title, header, rows } = topic;
  const data = rows.map((row) => Object.fromEntries(header.map((key, column) => [key.toLowerCase(), row[column]])));
  return {
    data: { topic: name, title, rows: data },
    text: [title, '', renderTable(header, rows, terminal)].join('\n'),
  };
}
