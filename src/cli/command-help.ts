import type { Config } from '@oclif/core/config';
import { CommandHelp, Help } from '@oclif/core/help';
import { wrapWords } from './wrap-words.ts';

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
