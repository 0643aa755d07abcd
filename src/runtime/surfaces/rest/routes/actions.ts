import { Readable } from 'node:stream';
import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import { contentDisposition } from '#kernel/text/content-disposition';
import type { ActionApproval, ActionSelection, ActionTarget } from '../../../actions/action-call.ts';
import type { ActionOutcome, ActionService } from '../../../actions/action-service.ts';
import { formDocument } from '../../../actions/form-document.ts';
import type { FileContent } from '../../../customizer/action-definition.ts';
import { type CompiledAction, type CompiledCollection, findCollection } from '../../../model/compiled-model.ts';
import { approvalInvalid } from '../../../permissions/signed-approvals.ts';
import { isJsonObject, type JsonObject, memberOf, objectMemberOf } from '../../request/request-bodies.ts';
import { exposedHeaders } from '../call/http-headers.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from '../call/route.ts';
import { parseHookBody } from '../parse/hook-body.ts';
import { idsInBody, parseSelectionBody } from '../parse/selection-body.ts';

/** The paths of actions: with their position, or without it where the agent says so. */
const actionPaths = ['/_actions/:collection/:index/:slug', '/_actions/:collection/:slug'] as const;

/** Run an action on the selected records, with the values of its form. */
export const executeActionRoutes: readonly Route[] = actionPaths.map((path) => ({
  method: 'POST',
  path,
  activity: { action: 'action', label: (call) => findAction(call)?.name, recordIds: idsInOrder },
  answer: executeAction,
}));

/** The form of an action as it is now: when it opens, after an edit, or one field with its options searched. */
export const formHooksRoutes: readonly Route[] = actionPaths.map((path) => ({
  method: 'POST',
  path: `${path}/hooks/:hook`,
  isReading: true,
  answer: answerHook,
}));

async function executeAction(call: RouteCall): Promise<RouteAnswer> {
  const { actions } = call.state;
  const order = await parseActionOrder(call.body, actions);
  const target = actionTarget(call);
  const readInput = () => ({
    selection: parseActionSelection(target, order.body, call),
    values: parseFormValues(order),
  });
  return answerOfAction(await actions.run(target, order.approval, readInput, call.context()));
}

const hooks: ReadonlySet<unknown> = new Set(['load', 'change', 'search']);

async function answerHook(call: RouteCall): Promise<RouteAnswer> {
  if (!hooks.has(call.params['hook']?.toLowerCase())) throw new PathUnknown();
  const { actions, model } = call.state;
  const target = actionTarget(call);
  const readQuestion = () => ({
    selection: parseActionSelection(target, call.body, call),
    ...parseHookBody(call.body),
  });
  const form = await actions.form(target, readQuestion, call.context());
  return { status: 200, body: formDocument(model, form, 'value') };
}

/** The ids that count: the signed ones where a signature holds, none where it does not or for a Global action. */
async function idsInOrder(call: RouteCall): Promise<readonly string[] | undefined> {
  if (findAction(call)?.definition.scope === 'Global') return [];
  // The answer reads the order again, and says why the signature does not hold.
  const order = await parseActionOrder(call.body, call.state.actions).catch(() => undefined);
  return order && idsInBody(order);
}

/** The action that the path names. Throws `PathUnknown`. */
function actionTarget(call: RouteCall): ActionTarget {
  const collection = call.collection();
  const action = actionIn(collection, call);
  if (!action) throw new PathUnknown();
  return { collection, action };
}

/** The same, or `undefined` if there is none. */
function findAction(call: RouteCall): CompiledAction | undefined {
  const collection = findCollection(call.state.model, call.params['collection']);
  return collection && actionIn(collection, call);
}

function actionIn(collection: CompiledCollection, { params, state }: RouteCall): CompiledAction | undefined {
  const { index, slug = '' } = params;
  return state.actions.find(collection, index === undefined ? slug : `${index}/${slug}`);
}

/** @param body The body of the request, or the signed one in its place. */
export function parseActionSelection(
  { collection, action }: ActionTarget,
  body: unknown,
  { query, state }: RouteCall,
): ActionSelection {
  const ids = action.definition.scope === 'Global' ? 'ignored' : 'required';
  return parseSelectionBody(state.model, collection, body, query, ids);
}

/** The body of a request to run an action. */
interface ActionOrder {
  /** The body that counts: the signed one, where there is one. */
  readonly body: unknown;
  /** `undefined` for an unsigned request. */
  readonly approval: ActionApproval | undefined;
}

/** Throws `REQUEST_UNPROCESSABLE` for an unsigned approval, `ACTION_APPROVAL_…` for a signed one that does not hold. */
async function parseActionOrder(body: unknown, actions: Pick<ActionService, 'openApproval'>): Promise<ActionOrder> {
  const unsigned = attributesOf(body);
  if (unsigned['requester_id'] !== undefined) {
    throw unprocessableRequest('"requester_id" is only valid inside a signed request.', 'Leave it out.');
  }
  const token = unsigned['signed_approval_request'];
  if (token === undefined || token === null || token === '') return { body, approval: undefined };
  const signed = await actions.openApproval(token);
  const { requester_id, collection_name: collection, smart_action_id: actionId } = attributesOf(signed.body);
  return {
    body: signed.body,
    approval: { requesterId: parseRequester(requester_id), collection, actionId, spend: signed.spend },
  };
}

/** The values of the form. */
export function parseFormValues({ body }: Pick<ActionOrder, 'body'>): JsonObject {
  const { values } = attributesOf(body);
  if (values === undefined || values === null) return {};
  if (!isJsonObject(values)) {
    throw invalidRequest('"values" must be an object.', 'Send the form values by field, or {}.');
  }
  // A client that has not loaded the form yet sends its placeholder along.
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'Loading...'));
}

function attributesOf(body: unknown): JsonObject {
  return objectMemberOf(memberOf(body, 'data'), 'attributes');
}

function parseRequester(id: unknown): number | undefined {
  if (id === undefined || id === null) return undefined;
  const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw approvalInvalid('The signed request does not say who asked for the approval.');
}

/** The answer to a client for the result of an action. */
export function answerOfAction({ result, headers }: ActionOutcome): RouteAnswer {
  if (result === undefined) {
    return jsonAnswer(200, headers, { success: 'Success', refresh: { relationships: [] } });
  }
  switch (result.type) {
    case 'success': {
      const { message: success, html, invalidated: relationships } = result;
      return jsonAnswer(200, headers, { success, html, refresh: { relationships } });
    }
    case 'error':
      return jsonAnswer(400, headers, { error: result.message, html: result.html });
    case 'webhook': {
      const { type: _type, ...webhook } = result;
      return jsonAnswer(200, headers, { webhook });
    }
    case 'redirect':
      return jsonAnswer(200, headers, { redirectTo: result.path });
    case 'file':
      return { status: 200, headers: { ...fileHeaders(result), ...headers }, body: sendable(result.content) };
  }
}

/** The web framework writes JSON only for its own content type. The code of an action may set another one. */
function jsonAnswer(status: number, headers: Readonly<Record<string, string>>, body: object): RouteAnswer {
  return { status, headers, body: headers['content-type'] === undefined ? body : JSON.stringify(body) };
}

function fileHeaders({ name, mimeType }: { readonly name: string; readonly mimeType: string }) {
  const isText = /^text\/[^;]*$/i.test(mimeType);
  return {
    'content-type': isText ? `${mimeType}; charset=utf-8` : mimeType,
    'content-disposition': contentDisposition(name),
    // Headers that the browser shows to the page, besides those of every answer.
    'access-control-expose-headers': `Content-Disposition, ${exposedHeaders}`,
  };
}

function sendable(content: FileContent): Readable | Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (content instanceof ReadableStream) return Readable.fromWeb(content);
  if (content instanceof Readable) return content;
  if (Symbol.asyncIterator in content) return Readable.from(content, { objectMode: false });
  throw new TypeError('A file is made of a stream, of bytes or of text.');
}
