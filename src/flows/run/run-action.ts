import path from 'node:path';
import * as z from 'zod';
import { type FiledApproval, filedApprovalSchema } from '#contracts/approvals';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { HttpResponse } from '#kernel/ports/http';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { FlowContext } from '../flow-context.ts';
import {
  type AgentClient,
  agentErrorOf,
  type CollectionCapabilities,
  capabilitiesOf,
  jsonOf,
  unknownCollection,
} from './agent-client.ts';
import { type AgentOfProject, withAgent, withAgentOfSession } from './agent-of-project.ts';
import { type ActionForm, fillTexts, fillValues, missingFields, openForm } from './fill-action-form.ts';
import type { FormField } from './form-field-values.ts';

export interface ActionOrder extends AgentOfProject {
  readonly collection: string;
  /** Its name, or its name in small letters with dashes. */
  readonly action: string;
  readonly ids: readonly string[];
  /** Ask for an approval instead of running it, with this comment. */
  readonly request?: string | undefined;
  /** Values of the form, as texts by field. */
  readonly values: ReadonlyMap<string, string>;
  /** Ask somebody for the fields of the form that have no value from `values`; called while required ones are missing. */
  askFor(fields: readonly FormField[]): Promise<ReadonlyMap<string, unknown>>;
}

/** What an action answered with. A file comes as its bytes. */
export type ActionAnswer =
  | ({ readonly type: 'asked' } & FiledApproval)
  | { readonly type: 'success'; readonly message: string; readonly html?: string | undefined }
  | { readonly type: 'redirect'; readonly path: string }
  | { readonly type: 'webhook'; readonly webhook: Readonly<Record<string, unknown>> }
  | { readonly type: 'file'; readonly name: string; readonly mimeType: string; readonly content: Uint8Array };

export interface ActionRun {
  readonly collection: string;
  readonly action: string;
  readonly answer: ActionAnswer;
}

/**
 * Run an action on the records of `ids`, with the values of its form. Rejects with `ACTION_FAILED` and the words of the action
 * where it ends with an error.
 */
export function runAction(context: FlowContext, order: ActionOrder): Promise<ActionRun> {
  const { collection, timezone } = order;
  const ask = order.request === undefined ? withAgent : withAgentOfSession;
  return ask(context, order, async (agent) => {
    const action = actionNamed(order.action, await knownCollection(agent, collection));
    const selection = { collection_name: collection, ids: action.scope === 'Global' ? [] : order.ids };
    if (action.scope !== 'Global' && order.ids.length === 0) throw idsMissing(action.name, action.scope);
    const form = await completed(context, await openForm(agent, { path: action.path, timezone, selection }), order);
    const attributes = { ...selection, values: valuesOf(form) };
    const { request: comment } = order;
    if (comment !== undefined) {
      const body = { data: { attributes: { ...attributes, action_name: action.name, comment } } };
      const filed = await agent.json({ method: 'POST', path: '/_internal/approvals', query: { timezone }, body });
      return { collection, action: action.name, answer: { type: 'asked', ...filedApprovalSchema.parse(filed) } };
    }
    const body = { data: { attributes } };
    const response = await agent.send({ method: 'POST', path: action.path, query: { timezone }, body });
    return { collection, action: action.name, answer: answerOf(response) };
  });
}

async function knownCollection(agent: AgentClient, name: string): Promise<CollectionCapabilities> {
  const capabilities = await capabilitiesOf(agent, name);
  if (capabilities) return capabilities;
  throw unknownCollection(name);
}

function actionNamed(wanted: string, { name: collection, actions }: CollectionCapabilities) {
  const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const found = actions.find(({ name }) => name === wanted) ?? actions.find(({ name }) => slug(name) === slug(wanted));
  if (found) return found;
  const names = actions.map(({ name }) => name);
  throw cloudError(
    'USAGE_INVALID',
    `The collection "${collection}" has no action "${wanted}".${didYouMean(nearestName(wanted, names))}`,
    names.length > 0
      ? `Its actions are: ${names.join(', ')}.`
      : `Make one: vendor-cloud generate action ${collection} "${wanted}"`,
  );
}

async function completed(
  context: FlowContext,
  opened: ActionForm,
  { values, askFor }: ActionOrder,
): Promise<ActionForm> {
  let form = await fillTexts(context, opened, values);
  const answered = new Set(values.keys());
  while (missingFields(form).length > 0) {
    const open = form.fields.filter(({ field, isReadOnly }) => !isReadOnly && !answered.has(field));
    const given = await askFor(open.length > 0 ? open : missingFields(form));
    for (const name of given.keys()) answered.add(name);
    form = await fillValues(context, form, given);
  }
  return form;
}

function valuesOf({ fields }: ActionForm): Readonly<Record<string, unknown>> {
  const writable = fields.filter(({ isReadOnly, value }) => !isReadOnly && value !== undefined);
  return Object.fromEntries(writable.map(({ field, value }) => [field, value]));
}

const answerSchema = z.union([
  z
    .object({ success: z.string(), html: z.string().nullish() })
    .transform(({ success: message, html }): ActionAnswer => ({ type: 'success', message, ...(html ? { html } : {}) })),
  z.object({ redirectTo: z.string() }).transform(({ redirectTo: path }): ActionAnswer => ({ type: 'redirect', path })),
  z
    .object({ webhook: z.record(z.string(), z.unknown()) })
    .transform(({ webhook }): ActionAnswer => ({ type: 'webhook', webhook })),
]);

export function answerOf(response: HttpResponse): ActionAnswer {
  const { headers, body } = response;
  const name = fileNameOf(headers['content-disposition']);
  if (response.status < 400 && name !== undefined) {
    return { type: 'file', name, mimeType: headers['content-type'] ?? '', content: body };
  }
  if (response.status < 400) return answerSchema.parse(jsonOf(response));
  const refusal = z.object({ error: z.string() }).safeParse(jsonOf(response)).data;
  if (!refusal) throw agentErrorOf(response);
  throw cloudError('ACTION_FAILED', refusal.error, 'Do what the action says, then run it again.');
}

/** The name in `attachment; filename="a.txt"; filename*=UTF-8''a.txt`. */
function fileNameOf(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return extended ? decodeURIComponent(extended) : (/filename="([^"]*)"/i.exec(disposition)?.[1] ?? 'file');
}

function idsMissing(action: string, scope: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The action "${action}" runs on ${scope === 'Single' ? 'one record' : 'records'}, and no ids were given.`,
    'Add the ids of the records: --ids 1,2',
  );
}

/** An action that has run, its file on the disk. */
export interface KeptRun extends Omit<ActionRun, 'answer'> {
  readonly answer: Exclude<ActionAnswer, { type: 'file' }> | KeptFile;
}

interface KeptFile {
  readonly type: 'file';
  readonly path: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

/**
 * Write the file that an action has made, where it made one. Under its own name it replaces no other file: it gets a number then.
 *
 * @param output Where to write it; by default under its own name in the working folder.
 */
export async function keepFile(context: FlowContext, run: ActionRun, output: string | undefined): Promise<KeptRun> {
  const { answer } = run;
  if (answer.type !== 'file') return { ...run, answer };
  const { name, mimeType, content } = answer;
  const { workingFolder } = context;
  const target = output === undefined ? await freePath(context, name) : path.resolve(workingFolder, output);
  await context.fs.writeAtomically(target, content);
  return { ...run, answer: { type: 'file', path: target, mimeType, sizeBytes: content.byteLength } };
}

/** `report.csv`, else `report-2.csv`, and so on. */
async function freePath({ fs, workingFolder }: FlowContext, name: string): Promise<string> {
  const { name: stem, ext } = path.parse(path.basename(name));
  for (let number = 1; ; number++) {
    const candidate = path.join(workingFolder, number === 1 ? `${stem}${ext}` : `${stem}-${number}${ext}`);
    if (!(await fs.exists(candidate))) return candidate;
  }
}
