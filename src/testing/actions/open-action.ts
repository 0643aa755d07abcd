import type { SchemaAction } from '#contracts/schema-document';
import { cloudError } from '#kernel/errors/cloud-error';
import { actionErrorOf } from '../errors/agent-test-errors.ts';
import { type AllRecords, selectionOfAll, selectionOfIds } from '../records/list-query.ts';
import type { AgentConnection } from '../wire/agent-connection.ts';
import type { RecordId } from '../wire/record-id.ts';
import type { Approvals } from '../wire/sandbox-client.ts';
import { ActionClient, type ActionRun } from './action-client.ts';
import { ActionForm } from './action-form.ts';
import { actionAnswerOf } from './action-result.ts';

/** The records an action runs on: one for a Single action, any number or `all` for a Bulk one, none for a Global one. */
export interface ActionSelection {
  readonly recordId?: RecordId;
  readonly recordIds?: readonly RecordId[];
  /** Every record that fits; `{}` for all of the collection. */
  readonly all?: AllRecords;
}

export interface ActionAddress {
  readonly connection: AgentConnection;
  readonly approvals: Approvals;
  readonly collection: string;
  readonly action: SchemaAction;
  readonly selection: ActionSelection;
}

/** Rejects with `TEST_OPTION_INVALID` for a selection that does not fit the scope of the action. */
export async function openAction({
  connection,
  approvals,
  collection,
  action,
  selection,
}: ActionAddress): Promise<ActionClient> {
  const selected = selectedRecords(collection, action, selection);
  const path = pathOf(action.endpoint);
  const attributes = { collection_name: collection, ...selected, smart_action_id: action.id };
  const form = await ActionForm.open(action, (hook, filled) =>
    connection.ask({
      method: 'POST',
      path: `${path}/hooks/${hook}`,
      json: bodyOf({ ...attributes, ...filled }),
      errorOf: actionErrorOf,
    }),
  );
  const run: ActionRun = {
    execute: async (values, { signedApprovalRequest }) => {
      const approval = signedApprovalRequest === undefined ? {} : { signed_approval_request: signedApprovalRequest };
      const json = bodyOf({ ...attributes, values, ...approval });
      return actionAnswerOf(await connection.send({ method: 'POST', path, json, errorOf: actionErrorOf }));
    },
    sign: async (values, expiresInSeconds) =>
      approvals.sign({ ...attributes, values, requester_id: await connection.userId() }, expiresInSeconds),
  };
  return new ActionClient(form, run);
}

function selectedRecords(collection: string, { name, type }: SchemaAction, selection: ActionSelection): object {
  const { recordId, recordIds = [], all } = selection;
  const ids = recordId === undefined ? recordIds : [recordId, ...recordIds];
  if (all && type === 'bulk' && ids.length === 0) return selectionOfAll(collection, all);
  const expected = { single: 'one record', bulk: 'at least one record', global: 'no record' }[type];
  const isFitting = { single: ids.length === 1, bulk: ids.length > 0, global: ids.length === 0 }[type];
  if (isFitting && !all) return selectionOfIds(ids);
  throw cloudError(
    'TEST_OPTION_INVALID',
    `The action "${name}" runs on ${expected}; ${all ? 'all records and ' : ''}${ids.length} are selected.`,
    'Select records with recordId, recordIds or all, as the scope of the action says.',
  );
}

function bodyOf(attributes: object) {
  return { data: { type: 'custom-action-requests', attributes } };
}

/** An endpoint in the schema begins with the prefix of the agent, which the connection has already. */
function pathOf(endpoint: string): string {
  return endpoint.slice(Math.max(0, endpoint.indexOf('/_actions/')));
}
