import type { ConfirmSwap } from '#flows/deployments/swap';
import type { FlowContext } from '#flows/flow-context';
import { CloudError } from '#kernel/errors/cloud-error';
import { renderSwap } from './render-deployments.ts';
import type { Terminal } from './terminal.ts';

/**
 * Shows what an environment will serve and asks the person at the terminal. Without a terminal, `--yes` is needed.
 *
 * @param command What is called, to be called once more with `--yes`.
 */
export function confirmSwap(
  context: FlowContext,
  terminal: Terminal,
  { isConfirmed, command }: { readonly isConfirmed: boolean; readonly command: string },
): ConfirmSwap {
  return async (swap) => {
    terminal.note(renderSwap(swap, terminal.style));
    if (isConfirmed) return true;
    if (!context.isInteractive || terminal.isJson) throw unconfirmed(swap.environment, command);
    const { default: inquirer } = await import('inquirer');
    const message = `Change what ${swap.environment} serves?`;
    const { isWanted } = await inquirer.prompt<{ isWanted: boolean }>([
      { type: 'confirm', name: 'isWanted', message, default: false },
    ]);
    return isWanted;
  };
}

function unconfirmed(environment: string, command: string): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `Other code would serve in "${environment}", and there is no terminal to ask whether it should.`,
    nextSteps: [`Say so: ${command} --yes`],
  });
}
