import type { UnsetVariables } from '#flows/environments/variables';
import type { RevokedClient } from '#flows/mcp/connected-clients';
import type { LeavingPerson } from '#flows/people/people';
import type { TokenOfProject } from '#flows/tokens/api-tokens';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Asking } from './context.ts';
import { nextCommand } from './next-command.ts';
import { singleLine } from './table.ts';

export interface Confirmation {
  /** `--yes` was given. */
  readonly isConfirmed: boolean;
  /** The command as it was called, to be called once more with `--yes`. */
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

/** Asks whether variables may be taken away from an environment. */
export function confirmUnsetVariables(asking: Asking, confirmation: Confirmation) {
  return ({ environment, names }: UnsetVariables): Promise<boolean> =>
    confirmChange(asking, confirmation, {
      question: `Take ${names.join(', ')} away from ${environment}? Nobody can read the value again.`,
      effect: `${names.join(', ')} would be taken away from ${environment}`,
    });
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
    `Say so: ${nextCommand(called, '--yes')}`,
  );
}

/** Other people named it. */
function quoted(name: string): string {
  return `"${singleLine(name)}"`;
}
