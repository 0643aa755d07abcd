import type { Config } from '@oclif/core/config';
import { CommandHelp, Help } from '@oclif/core/help';

/** A flag that may be repeated has an empty list as its default, which the framework shows as `default: ,`. */
class PlainCommandHelp extends CommandHelp {
  protected override flags(flags: Parameters<CommandHelp['flags']>[0]): ReturnType<CommandHelp['flags']> {
    return super.flags(flags.map((flag) => (isEmptyList(flag.default) ? { ...flag, default: undefined } : flag)));
  }
}

/** The help of commands and of groups of commands, as text. */
export class PlainHelp extends Help {
  protected override CommandHelpClass = PlainCommandHelp;

  constructor(config: Config) {
    super(config, config.pjson.oclif.helpOptions);
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
