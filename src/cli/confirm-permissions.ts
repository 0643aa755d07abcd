import type { FlowContext } from '#flows/flow-context';
import type { RightsComparison } from '#flows/permissions/rights-of-environment';
import { CloudError } from '#kernel/errors/cloud-error';
import { askToConfirm } from './prompts.ts';
import { differences } from './render-permissions.ts';
import type { Terminal } from './terminal.ts';

/** Shows a change of rights and asks the person at the terminal. Without a terminal, `--yes` is needed. */
export function confirmPermissions(context: FlowContext, terminal: Terminal, isConfirmed: boolean) {
  return async (comparison: RightsComparison): Promise<boolean> => {
    terminal.note(differences(comparison, terminal.style));
    if (isConfirmed) return true;
    if (!context.isInteractive) throw unconfirmed(comparison);
    return askToConfirm(`Change the rights of ${comparison.environment}?`);
  };
}

function unconfirmed({ environment }: RightsComparison): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `The rights of "${environment}" would change, and there is no terminal to ask whether they should.`,
    nextSteps: ['See what would change: vendor-cloud permissions diff', 'Then add --yes.'],
  });
}
