import type { RightsComparison } from '#flows/platform-access/rights-of-environment';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Asking } from './context.ts';
import { nextCommand } from './next-command.ts';
import { differences } from './render-permissions.ts';
import type { Terminal } from './terminal.ts';

/**
 * Shows a change of rights and asks the person at the terminal. Without a terminal, `--yes` is needed.
 *
 * @param called The command as it was called, to be called once more with `--yes`.
 */
export function confirmPermissions(
  { isInteractive, prompts }: Asking,
  terminal: Terminal,
  { isConfirmed, called }: { readonly isConfirmed: boolean; readonly called: readonly string[] },
) {
  return async (comparison: RightsComparison): Promise<boolean> => {
    terminal.note(differences(comparison, terminal.style));
    if (isConfirmed) return true;
    if (!isInteractive) throw unconfirmed(comparison, called);
    return prompts.confirm(`Change the rights of ${comparison.environment}?`);
  };
}

function unconfirmed({ environment }: RightsComparison, called: readonly string[]): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The rights of "${environment}" would change, and there is no terminal to ask whether they should.`,
    [
      `See what would change: ${nextCommand(['permissions', 'diff', '--env', environment])}`,
      `Then say so: ${nextCommand(called, '--yes')}`,
    ],
  );
}
