import type { Config } from '@oclif/core/config';
import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';

/** An error of the argument parser as one of the catalogue; any other error as it is. */
export function mapUsageError(error: unknown, bin: string, commandId: string): unknown {
  if (!(error instanceof Error) || !isParserError(error)) return error;
  const [reason = error.message] = error.message.split('\nSee more help');
  return new CloudError({
    code: 'USAGE_INVALID',
    message: withFullStop(reason.replaceAll('\n', ' ')),
    nextSteps: [`See how it is called: ${bin} ${commandId.replaceAll(':', ' ')} --help`],
    cause: error,
  });
}

/** There is no such command; names the nearest one, and never runs it. */
export function unknownCommand(config: Config, words: readonly string[]): CloudError {
  const wanted = words.join(' ');
  const names = config.commandIDs.map((id) => id.replaceAll(':', ' '));
  // The first word of a command in two words is a good beginning.
  const nearest = names.find((name) => name.startsWith(`${wanted} `)) ?? nearestName(wanted, names);
  return new CloudError({
    code: 'USAGE_UNKNOWN_COMMAND',
    message: `There is no command "${wanted}".${didYouMean(nearest)}`,
    nextSteps: [nearest ? `${config.bin} ${nearest} --help` : `${config.bin} --help`],
  });
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
