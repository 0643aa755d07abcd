import type { UndoPlan } from '#flows/audit/undo/undo-writes';
import type { ProjectToReset } from '#flows/data/reset-data';
import type { ConfirmSwap } from '#flows/deployments/swap-confirmation';
import type { UnsetVariables } from '#flows/environments/manage-variables';
import type { ChangedClient, RevokedClient } from '#flows/mcp/connected-clients';
import type { ScimTokenToRevoke } from '#flows/people/manage-groups';
import type { LeavingPerson } from '#flows/people/manage-people';
import type { FactorsToReset } from '#flows/people/second-factors';
import type { PersonToErase } from '#flows/platform/erase-person';
import type { RightsComparison } from '#flows/platform-access/rights-of-environment';
import type { TokenOfProject } from '#flows/tokens/manage-api-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Asking } from '../invocation/cli-context.ts';
import { renderSwap } from '../rendering/render-deployments.ts';
import { differences } from '../rendering/render-permissions.ts';
import { unversionedWords } from '../rendering/render-undone-writes.ts';
import { nextCommand } from '../terminal/next-command.ts';
import { singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapResult } from '../terminal/wrap-text.ts';

export interface Confirmation {
  /** `--yes` was given. */
  readonly isConfirmed: boolean;
  /** The command as it was called, to be called again with `--yes`. */
  readonly called: readonly string[];
}

interface Change {
  /** What the person is asked. */
  readonly question: string;
  /** What would happen, where nobody can be asked. */
  readonly effect: string;
}

/** Asks whether an API token may end at once. */
export function confirmRevokedToken(asking: Asking, confirmation: Confirmation) {
  return ({ project, token }: TokenOfProject): Promise<boolean> =>
    confirmChange(asking, confirmation, {
      question: `Revoke the API token ${quoted(token.name)} of ${project}? Whatever uses it is refused at once.`,
      effect: `The API token ${quoted(token.name)} of ${project} would end at once`,
    });
}

/** Asks whether an API token may get another secret. */
export function confirmRotatedToken(asking: Asking, confirmation: Confirmation) {
  return ({ project, token }: TokenOfProject): Promise<boolean> =>
    confirmChange(asking, confirmation, {
      question: `Give the API token ${quoted(token.name)} of ${project} a new secret? The one it has ends after the overlap.`,
      effect: `The secret of the API token ${quoted(token.name)} of ${project} would be replaced`,
    });
}

/** Asks whether a program may be disconnected from the MCP server. */
export function confirmRevokedClient(asking: Asking, confirmation: Confirmation) {
  return ({ environment, id, name }: Omit<RevokedClient, 'isRevoked'>): Promise<boolean> =>
    confirmChange(asking, confirmation, {
      question: `Disconnect ${quoted(name ?? id)} from the MCP server of ${environment}? Somebody has to let it in again.`,
      effect: `${quoted(name ?? id)} would be disconnected from the MCP server of ${environment}`,
    });
}

/** Asks whether a program may do something else from now on. */
export function confirmChangedClient(asking: Asking, confirmation: Confirmation) {
  return ({ environment, id, name, after }: Omit<ChangedClient, 'isChanged'>): Promise<boolean> => {
    const what = after.length === 0 ? 'All that its person may do.' : `${after.join('. ')}.`;
    return confirmChange(asking, confirmation, {
      question: `Change what ${quoted(name ?? id)} may do in ${environment}? ${singleLine(what)}`,
      effect: `${quoted(name ?? id)} could do something else in ${environment}: ${singleLine(what)}`,
    });
  };
}

/** Asks whether writes may be taken back. */
export function confirmUndo(asking: Asking, confirmation: Confirmation) {
  return ({ environment, writes, left, unversioned }: UndoPlan): Promise<boolean> => {
    const [first] = writes;
    const one = first ? `the write to ${quoted(`${first.collection} ${first.recordId}`)}` : 'nothing';
    const what = `${writes.length === 1 ? one : `${writes.length} writes`} in ${quoted(environment)}`;
    const rest = left.length > 0 ? ` ${left.length} more cannot be taken back.` : '';
    const unknown = unversioned > 0 ? ` ${unversionedWords(unversioned)}` : '';
    return confirmChange(asking, confirmation, {
      question: `Take back ${what}? No record has changed since.${rest}${unknown}`,
      effect: `This would take back ${what}`,
    });
  };
}

/** Asks whether variables may be taken away from an environment. */
export function confirmUnsetVariables(asking: Asking, confirmation: Confirmation) {
  return ({ environment, names }: UnsetVariables): Promise<boolean> =>
    confirmChange(asking, confirmation, {
      question: `Take ${names.join(', ')} away from ${environment}? Nobody can read the value again.`,
      effect: `${names.join(', ')} would be taken away from ${environment}`,
    });
}

/** Asks whether somebody may be erased from a store. */
export function confirmErasedPerson(asking: Asking, confirmation: Confirmation) {
  return ({ store, email, logs, texts }: PersonToErase): Promise<boolean> => {
    const rows = logs.reduce((sum, log) => sum + log.rows, 0);
    const others = Object.values(texts).reduce((sum, count) => sum + count, 0);
    const inLogs = `${rows === 1 ? '1 row' : `${rows} rows`} of the audit logs`;
    const what = `${quoted(email)} in ${inLogs} and ${others === 1 ? '1 text' : `${others} texts`} in ${store}`;
    return confirmChange(asking, confirmation, {
      question: `Erase ${what}? Nobody can bring the values back.`,
      effect: `${what} would be erased`,
    });
  };
}

/** Asks whether the access of somebody may end at once. */
export function confirmDeactivatedPerson(asking: Asking, confirmation: Confirmation) {
  return ({ project, email, was }: LeavingPerson): Promise<boolean> =>
    confirmChange(
      asking,
      confirmation,
      was === 'member'
        ? {
            question: `Deactivate ${quoted(email)} in ${project}? Their sessions and tokens end at once.`,
            effect: `${quoted(email)} would lose the access to ${project} at once`,
          }
        : {
            question: `Take the invitation of ${quoted(email)} to ${project} back? Its link is refused at once.`,
            effect: `The invitation of ${quoted(email)} to ${project} would be taken back`,
          },
    );
}

/** Asks whether a token for SCIM may end at once. */
export function confirmRevokedScimToken(asking: Asking, confirmation: Confirmation) {
  return ({ project, name }: ScimTokenToRevoke): Promise<boolean> =>
    confirmChange(asking, confirmation, {
      question: `Revoke the SCIM token ${quoted(name)} of ${project}? The provider is refused at once.`,
      effect: `The SCIM token ${quoted(name)} of ${project} would end at once`,
    });
}

/** Asks whether the second factors of somebody may go. */
export function confirmResetFactors(asking: Asking, confirmation: Confirmation) {
  return ({ email, place }: FactorsToReset): Promise<boolean> =>
    confirmChange(asking, confirmation, {
      question: `Reset the second factors of ${quoted(email)} in ${place}? Everything that they are signed in with ends.`,
      effect: `The second factors of ${quoted(email)} in ${place} would be reset`,
    });
}

async function confirmChange(
  { isInteractive, prompts }: Asking,
  { isConfirmed, called }: Confirmation,
  { question, effect }: Change,
): Promise<boolean> {
  if (isConfirmed) return true;
  if (isInteractive) return prompts.confirm(question);
  throw cloudError(
    'USAGE_INVALID',
    `${effect}, and there is no terminal to ask whether it should.`,
    `Confirm it: ${nextCommand(called, '--yes')}`,
  );
}

/** Other people named it. */
function quoted(name: string): string {
  return `"${singleLine(name)}"`;
}

/** Shows a change of rights and asks the person at the terminal. Without a terminal, `--yes` is needed. */
export function confirmPermissions(
  { isInteractive, prompts }: Asking,
  terminal: Terminal,
  { isConfirmed, called }: Confirmation,
) {
  return async (comparison: RightsComparison): Promise<boolean> => {
    terminal.note(differences(comparison, terminal.style));
    if (isConfirmed) return true;
    if (!isInteractive) throw rightsUnconfirmed(comparison, called);
    return prompts.confirm(`Change the rights of ${comparison.environment}?`);
  };
}

function rightsUnconfirmed({ environment }: RightsComparison, called: readonly string[]): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The rights of "${environment}" would change, and there is no terminal to ask whether they should.`,
    [
      `See what would change: ${nextCommand(['permissions', 'diff', '--env', environment])}`,
      `Then say so: ${nextCommand(called, '--yes')}`,
    ],
  );
}

interface ResetFlags {
  /** The name of the project, where it was given as a flag. */
  readonly given: string | undefined;
  /** The command as it was called, to be called again with the name. */
  readonly called: readonly string[];
}

/** Have the person at the terminal type the name of the project. Without a terminal, `--confirm` gives it. */
export function confirmReset({ isInteractive, prompts }: Asking, { given, called }: ResetFlags) {
  return async ({ name, databases }: ProjectToReset): Promise<string> => {
    if (given !== undefined) return given;
    const records = `Every record in ${databases.join(' and ')}`;
    if (!isInteractive) throw resetUnconfirmed(records, nextCommand(called, '--confirm', name));
    const typed = await prompts.text(`${records} will be deleted. Type ${name} to go on:`);
    return typed.trim();
  };
}

function resetUnconfirmed(records: string, command: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${records} would be deleted, and there is no terminal to ask whether they should.`,
    command,
  );
}

/** Shows what an environment will serve and asks the person at the terminal. Without a terminal, `--yes` is needed. */
export function confirmSwap(
  { isInteractive, prompts }: Asking,
  terminal: Terminal,
  { isConfirmed, called }: Confirmation,
): ConfirmSwap {
  return async (swap) => {
    terminal.note(wrapResult(renderSwap(swap, terminal.style), terminal.columns));
    if (isConfirmed) return true;
    if (!isInteractive) throw swapUnconfirmed(swap.environment, nextCommand(called, '--yes'));
    return prompts.confirm(`Change what ${swap.environment} serves?`);
  };
}

function swapUnconfirmed(environment: string, command: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `Other code would serve in "${environment}", and there is no terminal to ask whether it should.`,
    `Confirm it: ${command}`,
  );
}
