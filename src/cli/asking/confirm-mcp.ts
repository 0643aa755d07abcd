import type { ApprovalContent } from '#contracts/approvals';
import type { AskAnswer, ListedAsk, ListedMark } from '#contracts/mcp-marks';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Asking } from '../invocation/cli-context.ts';
import { renderApprovalContent } from '../rendering/render-approvals.ts';
import { askInWords, readInWords } from '../rendering/render-mcp-marks.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Shows what an assistant has read, and asks whether it may go on without asking. */
export function confirmClearedMark({ isInteractive, prompts }: Asking, { note }: Pick<Terminal, 'note'>) {
  return async (mark: ListedMark): Promise<boolean> => {
    if (!isInteractive) throw noTerminal('A mark is cleared');
    note(readInWords(mark));
    return prompts.confirm('May this assistant write again without asking?');
  };
}

/** Shows what an assistant wants to do and what it has read, and asks the person. */
export function decideAsk({ isInteractive, prompts }: Asking, { note }: Pick<Terminal, 'note'>) {
  return async (ask: ListedAsk, mark: ListedMark): Promise<AskAnswer> => {
    if (!isInteractive) throw noTerminal('An assistant is answered');
    note(readInWords(mark));
    note(askInWords(ask));
    return (await prompts.confirm('Do it?')) ? 'yes' : 'no';
  };
}

/** Shows what somebody has asked an approval for, and asks whether to run it. */
export function confirmGrant({ isInteractive, prompts }: Asking, { note }: Pick<Terminal, 'note'>) {
  return async (content: ApprovalContent): Promise<boolean> => {
    if (!isInteractive) throw noTerminal('A request is granted', 'approvals of the console');
    note(renderApprovalContent(content));
    return prompts.confirm('Grant it? The action runs at once, in the name of who asked.');
  };
}

/** An assistant that runs commands has no terminal, and is nobody who may answer. */
function noTerminal(what: string, page = '/settings/assistants of the platform'): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${what} by a person at a terminal, and there is none.`,
    `Run the command in a terminal, or open the page ${page}.`,
  );
}
