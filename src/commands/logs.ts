import { boolean, integer, option, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { parseTime } from '#cli/flags/log-flags';
import { projectFlags, targetOf } from '#cli/flags/project-flags';

export default class Logs extends CloudCommand {
  static override summary = 'Show what agents and customization code said: here, or on the hosts of an environment.';
  static override description =
    'Without --env it is the log that dev and serve keep in this project. Under --json every line is one object, the same for both.';
  static override examples = [
    '<%= config.bin %> logs --level warn',
    '<%= config.bin %> logs --env production --since 1h --grep refund',
    '<%= config.bin %> logs --env production --follow --json',
  ];
  static override flags = {
    ...projectFlags,
    env: string({
      summary: 'Name of the environment whose hosts are meant, instead of this project.',
      env: 'SERVICE_ENV',
      helpValue: '<name>',
    }),
    level: option({
      summary: 'The least important level to show.',
      env: 'SERVICE_LEVEL',
      options: ['debug', 'info', 'warn', 'error'] as const,
      default: 'info',
    })(),
    grep: string({
      summary: 'Only lines with this text, in upper or lower case.',
      env: 'SERVICE_GREP',
      helpValue: '<text>',
    }),
    since: string({
      summary: 'From this time on: 2026-01-31, 2026-01-31T12:00Z, or 7d ago.',
      env: 'SERVICE_SINCE',
      helpValue: '<time>',
    }),
    limit: integer({
      summary: 'How many lines to begin with.',
      env: 'SERVICE_LIMIT',
      default: 100,
      min: 1,
      max: 10_000,
    }),
    follow: boolean({ char: 'f', summary: 'Go on with new lines until Ctrl-C.', env: 'SERVICE_FOLLOW' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Logs);
    const context = await this.createContext();
    const { showLog } = await import('#cli/foreground/show-log');
    const { level, grep, limit, follow } = flags;
    await showLog(this.invocation, context, {
      ...targetOf(flags, context),
      level,
      grep,
      limit,
      isFollowing: follow,
      since: parseTime(flags.since, context.clock.now()),
    });
  }
}
