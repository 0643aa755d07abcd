import * as z from 'zod';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { ActionSelection, ActionTarget } from '../../../actions/action-call.ts';
import type { Act } from '../../../activity/act-reporter.ts';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { packedIdsOf, type RecordId, readRecordIds, recordIdsArgument } from './record-ids.ts';
import type { ToolCall } from './tool.ts';
import { objectArgument, readObject } from './write-arguments.ts';

/** An action, the records to run it on, and the values of its form. */
export const actionArguments = {
  collectionName: collectionNameArgument,
  actionName: z.string().min(1),
  recordIds: recordIdsArgument.optional().describe('None for a Global action.'),
  values: objectArgument.optional().describe('By field of the form. Files as data URIs.'),
};

interface ActionArguments {
  readonly collectionName: string;
  readonly actionName: string;
  readonly recordIds?: readonly RecordId[] | undefined;
  readonly values?: unknown;
}

/** Throws `REQUEST_NOT_FOUND`, with the names of the actions. */
export function actionTarget(call: ToolCall, { collectionName, actionName }: ActionArguments): ActionTarget {
  const collection = collectionOf(call, collectionName);
  return { collection, action: call.state.actions.named(collection, actionName) };
}

/** Throws `REQUEST_INVALID`. */
export function readSelection({ collection, action }: ActionTarget, { recordIds }: ActionArguments): ActionSelection {
  const { name } = collection;
  if (action.definition.scope === 'Global') {
    if (!recordIds) return { collection: name, listed: 0 };
    throw invalidRequest(`The action "${action.name}" is about no records.`, 'Leave out "recordIds".');
  }
  if (!recordIds) {
    throw invalidRequest(`The action "${action.name}" runs on records.`, 'Give their ids in "recordIds".');
  }
  const keys = readRecordIds(collection, recordIds);
  return { collection: name, keys, listed: keys.length };
}

/** How many bytes of files a call may carry, as data URIs. */
const maxFileBytes = 2 * 1024 * 1024;

/** Throws `REQUEST_INVALID`, also for files that are too large. */
export function readValues({ values }: ActionArguments): Readonly<Record<string, unknown>> {
  if (values === undefined) return {};
  const read = readObject('values', values);
  const fileBytes = Object.values(read)
    .flat()
    .reduce((sum: number, value) => sum + bytesOfFile(value), 0);
  if (fileBytes <= maxFileBytes) return read;
  throw invalidRequest(
    `The files in "values" have more than ${maxFileBytes} bytes.`,
    'Send smaller files, or run the action in the user interface.',
  );
}

/** Base64 has four characters for three bytes. */
function bytesOfFile(value: unknown): number {
  return typeof value === 'string' && value.startsWith('data:') ? (value.length * 3) / 4 : 0;
}

/** What a call about an action is reported as. */
export function actOn(action: 'read' | 'action', { collectionName, actionName, recordIds = [] }: ActionArguments): Act {
  return { action, label: actionName, collection: collectionName, recordIds: packedIdsOf(recordIds) };
}
