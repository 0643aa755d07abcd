import {
  type ApprovalRequestContent,
  type ApprovalResult,
  maxApprovalRecords,
  maxResultCharacters,
} from '#contracts/approvals';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { ActionResult } from '../customizer/action-definition.ts';
import type { CompiledCollection } from '../model/compiled-model.ts';
import { hasKey, packId, recordAmbiguous, recordNotFound, recordWithoutKey, unpackId } from '../model/record-id.ts';
import type { CallContext } from '../records/calls/call-context.ts';
import type { RecordService } from '../records/request/record-service.ts';
import type { ActionSelection, ActionTarget } from './action-call.ts';

/** What somebody asks an approval for. */
export type RequestedRun = Pick<ApprovalRequestContent, 'recordIds' | 'values' | 'shown'>;
type ShownRecord = RequestedRun['shown'][number];
type Records = Pick<RecordService, 'list'>;

/** The selection of stored ids. */
export function selectionOf({ collection, action }: ActionTarget, recordIds: readonly string[]): ActionSelection {
  if (action.definition.scope === 'Global') return { collection: collection.name, listed: 0 };
  const keys = recordIds.map((id) => unpackId(collection, id));
  return { collection: collection.name, keys, listed: keys.length };
}

/** Whether a run was refused only because it needs an approval. */
export async function needsApproval(permitted: Promise<void>): Promise<boolean> {
  try {
    await permitted;
    return false;
  } catch (error) {
    if (isCloudError(error) && error.code === 'ACTION_APPROVAL_REQUIRED') return true;
    throw error;
  }
}

/** The selected records as the caller sees them: their columns. What is worked out may change by itself, so it is left out. */
export async function shownRecords(
  records: Records,
  { collection, action }: ActionTarget,
  { listed, ...selection }: ActionSelection,
  context: CallContext,
): Promise<ShownRecord[]> {
  if (action.definition.scope === 'Global') return [];
  if (listed !== undefined && listed > maxApprovalRecords) throw tooManyRecords();
  const projection = columnsOf(collection);
  const page = { skip: 0, limit: maxApprovalRecords + 1 };
  const found = await records.list({ ...selection, projection, page }, context);
  if (found.length > maxApprovalRecords) throw tooManyRecords();
  if (found.length === 0 || found.length < (listed ?? 0)) throw recordNotFound(collection);
  if (found.length > (listed ?? found.length)) throw recordAmbiguous(collection);
  if (!found.every((record) => hasKey(collection, record))) throw recordWithoutKey(collection);
  return found.map((record) => ({ id: packId(collection, record), values: onlyFields(record, projection) }));
}

function columnsOf({ fields }: CompiledCollection): string[] {
  return [...fields.values()].flatMap(({ kind, name }) => (kind === 'column' ? [name] : []));
}

/** As it is after a way through JSON. */
function onlyFields(record: Readonly<Record<string, unknown>>, names: readonly string[]): ShownRecord['values'] {
  const entries = names.map((name) => [name, record[name] ?? null] as const);
  return JSON.parse(JSON.stringify(Object.fromEntries(entries))) as ShownRecord['values'];
}

/**
 * Throws `ACTION_APPROVAL_OUTDATED` unless the records are as they were shown to who asked.
 *
 * @param context of who asked.
 * @param reader The collection as whoever learns about it sees it.
 */
export async function requireUnchanged(
  records: Records,
  target: ActionTarget,
  { recordIds, shown }: RequestedRun,
  context: CallContext,
  reader: CompiledCollection,
): Promise<void> {
  const { collection } = target;
  const names = Object.keys(shown[0]?.values ?? {});
  const gone = names.filter((name) => collection.fields.get(name)?.kind !== 'column');
  if (gone.length > 0) throw outdated(`${listFor(reader, gone)} cannot be read by who asked any more`);
  if (shown.length === 0) return;
  const projection = [...new Set([...collection.primaryKey, ...names])];
  const selection = selectionOf(target, recordIds);
  const found = await records
    .list({ collection: selection.collection, keys: selection.keys, projection }, context)
    .catch((error: unknown) => {
      throw outdatedBy(error);
    });
  const now = new Map(found.map((record) => [packId(collection, record), onlyFields(record, names)]));
  for (const { id, values } of shown) {
    const current = now.get(id);
    if (!current) throw outdated(`the record ${id} is gone, or out of reach of who asked`);
    const changed = names.filter((name) => canonicalJson(current[name]) !== canonicalJson(values[name]));
    if (changed.length > 0) throw outdated(`${listFor(reader, changed)} of the record ${id} changed`);
  }
}

/** What the reader of a request may see of the shown records: fields that are theirs to read as they are. */
export function shownTo(collection: CompiledCollection, { shown }: Pick<RequestedRun, 'shown'>): ShownRecord[] {
  const isVisible = (name: string) =>
    collection.fields.get(name)?.kind === 'column' && collection.limits.get(name)?.mask === undefined;
  return shown.map(({ id, values }) => ({
    id,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => isVisible(name))),
  }));
}

/** What is kept of the answer of an approved action. An address that a browser calls may hold a secret, and a file is with who granted. */
export function keptResult(result: ActionResult | undefined): ApprovalResult {
  if (!result) return { type: 'success' };
  switch (result.type) {
    case 'success':
    case 'error': {
      const { type, message, html = '' } = result;
      const isHtmlLeftOut = html.length > maxResultCharacters;
      return {
        ...{ type, message: message.slice(0, maxResultCharacters).toWellFormed() },
        ...(isHtmlLeftOut ? { isHtmlLeftOut } : html === '' ? {} : { html }),
      };
    }
    case 'file':
      return { type: 'file', fileName: result.name.slice(0, 1_000).toWellFormed() };
    case 'redirect':
      return { type: 'redirect', path: result.path.slice(0, 8_000).toWellFormed() };
    case 'webhook':
      return { type: 'webhook' };
  }
}

/** What keeps a request from being granted, where it is not a fault of the system. The sentence is read by somebody else than who asked. */
export function outdatedBy(error: unknown): unknown {
  if (!isCloudError(error)) return error;
  switch (error.code) {
    case 'ACTION_TRIGGER_FORBIDDEN':
    case 'REQUEST_FORBIDDEN':
      return outdated('who asked may not run the action on these records any more', error);
    case 'REQUEST_INVALID':
    case 'REQUEST_NOT_FOUND':
    case 'REQUEST_FIELD_UNKNOWN':
      return outdated(`it does not fit the action any more. ${error.message}`, error);
    default:
      return error;
  }
}

/** @param reason follows a colon. */
export function outdated(reason: string, cause?: unknown): CloudError {
  return cloudError(
    'ACTION_APPROVAL_OUTDATED',
    `The request cannot be granted, and nothing ran: ${reason.endsWith('.') ? reason : `${reason}.`}`,
    'Refuse it, and have the person look again and ask again.',
    cause === undefined ? {} : { cause },
  );
}

/** Names of fields. Those that the reader does not see stay unnamed. */
function listFor({ fields }: CompiledCollection, names: readonly string[]): string {
  const seen = names.filter((name) => fields.has(name)).map((name) => `"${name}"`);
  return [...seen, ...(seen.length < names.length ? ['what you do not see'] : [])].join(', ');
}

function tooManyRecords(): CloudError {
  return invalidRequest(
    `One approval is about ${maxApprovalRecords} records at most.`,
    'Select fewer records, and ask several times.',
  );
}

export function approvalNotNeeded(action: string): CloudError {
  return cloudError('REQUEST_CONFLICT', `The ${action} needs no approval on these records.`, 'Run it.');
}

export function recordsUnseen(action: string): CloudError {
  return cloudError(
    'ACTION_APPROVAL_NOT_ALLOWED',
    `You do not see all of the records that the ${action} would run on.`,
    'Leave the request to somebody who sees them.',
  );
}
