import type { ConfirmSwap } from '#flows/deployments/deployment-swap';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Asking } from './context.ts';
import { nextCommand } from './next-command.ts';
import { renderSwap } from './render-deployments.ts';
import type { Terminal } from './terminal.ts';
import { wrapResult } from './wrap-result.ts';

/**
 * Shows what an environment will serve and asks the person at the terminal. Without a terminal, `--yes` is needed.
 *
 * @param called The command as it was called, to be called once more with `--yes`.
 */
export function confirmSwap(
  { isInteractive, prompts }: Asking,
  terminal: Terminal,
  { isConfirmed, called }: { readonly isConfirmed: boolean; readonly called: readonly string[] },
): ConfirmSwap {
  return async (swap) => {
    terminal.note(wrapResult(renderSwap(swap, terminal.style), terminal.columns));
    if (isConfirmed) return true;
    if (!isInteractive) throw unconfirmed(swap.environment, nextCommand(called, '--yes'));
    return prompts.confirm(`Change what ${swap.environment} serves?`);
  };
}

function unconfirmed(environment: string, command: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `Other code would serve in "${environment}", and there is no terminal to ask whether it should.`,
    `Say so: ${command}`,
  );
}
