import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { jsonOnly } from '#kernel/json/json-only';
import { unknownOption } from '#kernel/text/nearest-name';
import type { ActionResult, FileContent, ResultBuilder, SingleActionContext } from '../customizer/action-definition.ts';
import type { AnyFormValues } from '../customizer/form-value.ts';
import { isRecord } from '../query/shape-record.ts';
import { legibleThrown } from '../user-code/call-handler.ts';
import { refusalOf } from '../user-code/refusal-of.ts';
import { handlerNames } from '../user-code/running-code.ts';

/** The part of an action's context that does not depend on its form. */
export type ActionCall = Omit<SingleActionContext, 'formValues' | 'hasFieldChanged'>;

/** The context of one function of a form. `reads` notes the values it reads and the fields it asks about. */
export function formContext(
  call: ActionCall,
  values: Readonly<Record<string, unknown>>,
  reads: Reads,
  changedField: string | undefined,
): SingleActionContext {
  return extended(call, {
    formValues: trackedValues(values, reads),
    hasFieldChanged: (id: string) => {
      reads.ids.add(id);
      return id === changedField;
    },
  });
}

/** `context` with more members. Getters stay getters, so their values are made only when somebody reads them. */
export function extended<Context extends object, More extends object>(context: Context, more: More): Context & More {
  const members = { ...Object.getOwnPropertyDescriptors(context), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({}, members) as Context & More;
}

/** The form values that a function has read. */
export interface Reads {
  readonly ids: Set<string>;
  /** The function read all of them: it spread the object, or listed its keys. */
  all: boolean;
}

export function createReads(): Reads {
  return { ids: new Set(), all: false };
}

export function hasRead(reads: Reads, id: string): boolean {
  return reads.all || reads.ids.has(id);
}

/** The values of a form as user code sees them: read-only. `reads` notes the ones it reads. */
function trackedValues(values: Readonly<Record<string, unknown>>, reads: Reads): AnyFormValues {
  return new Proxy(values as AnyFormValues, {
    get(target, key) {
      if (typeof key === 'symbol') return Reflect.get(target, key);
      reads.ids.add(key);
      return Reflect.get(target, key);
    },
    has(target, key) {
      if (typeof key === 'string') reads.ids.add(key);
      return Object.hasOwn(target, key);
    },
    ownKeys(target) {
      reads.all = true;
      return Reflect.ownKeys(target);
    },
    getOwnPropertyDescriptor(target, key) {
      if (typeof key === 'string') reads.ids.add(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    set: (_target, key) => refuse(key),
    defineProperty: (_target, key) => refuse(key),
    deleteProperty: (_target, key) => refuse(key),
    setPrototypeOf: () => refuse('its prototype'),
  });
}

function refuse(key: string | symbol): never {
  throw new TypeError(
    `formValues is read-only: "${String(key)}" cannot be set. Give the field a "value" function instead.`,
  );
}

const nextStep = 'Correct the code of the action, or return resultBuilder.error(…) for what its user can fix.';

/** The code of an action is wrong. Only its author may see `problem`. */
export function actionFailed(problem: string, cause?: unknown): CloudError {
  return cloudError('CUSTOMIZATION_FAILED', problem, nextStep, { ...(cause === undefined ? {} : { cause }) });
}

/** Run user code. Errors of ours pass through it, and refusals become ours; any other error becomes `CUSTOMIZATION_FAILED`. */
export async function runActionCode<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await handlerNames.run(what, run);
  } catch (thrown) {
    const error = legibleThrown(thrown);
    const said = error instanceof Error ? error.message : String(error);
    throw refusalOf(error) ?? actionFailed(`${what} threw: ${said}`, error);
  }
}

/** The result builder of one run, and the headers that the code of the action adds with it. */
export interface RunResultBuilder {
  readonly builder: ResultBuilder;
  readonly headers: Readonly<Record<string, string>>;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that belong to the connection. */
const reservedHeaders: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding', 'trailer']);

export function createResultBuilder(): RunResultBuilder {
  const headers: Record<string, string> = {};
  const builder: ResultBuilder = {
    success: (message = '', options) => {
      mustBe('The message', isText(message), 'a text');
      if (options === undefined) return { type: 'success', message, invalidated: [] };
      checkOptions('success', options, ['html', 'invalidated']);
      const { html, invalidated = [] } = options;
      mustBe('"invalidated"', Array.isArray(invalidated) && invalidated.every(isText), 'a list of names of relations');
      return { type: 'success', message, ...(html === undefined ? {} : { html }), invalidated };
    },
    error: (message = 'Error', options) => {
      mustBe('The message', isText(message), 'a text');
      if (options === undefined) return { type: 'error', message };
      checkOptions('error', options, ['html']);
      return { type: 'error', message, ...(options.html === undefined ? {} : { html: options.html }) };
    },
    webhook: (url, method = 'POST', webhookHeaders = {}, body = {}) => {
      mustBe('The address of a webhook', isText(url), 'a text');
      mustBe('The method of a webhook', isText(method), 'a text');
      const isHeaders = isRecord(webhookHeaders) && Object.values(webhookHeaders).every(isText);
      mustBe('The headers of a webhook', isHeaders, 'an object of texts');
      return { type: 'webhook', url, method, headers: webhookHeaders, body: jsonOnly('The body of a webhook', body) };
    },
    file: (content, name = 'file', mimeType = 'application/octet-stream') => {
      if (!isFileContent(content)) throw new TypeError('A file is made of a stream, of bytes or of text.');
      mustBe('The name of a file', isText(name), 'a text');
      if (!headerValue.test(mimeType)) throw new TypeError(`"${mimeType}" is not a media type.`);
      return { type: 'file', content, name, mimeType };
    },
    redirectTo: (path) => {
      mustBe('The path of a redirection', isText(path), 'a text');
      return { type: 'redirect', path };
    },
    setHeader: (name, value) => {
      mustBe('A header', isText(name) && isText(value), 'a name and a text');
      if (!headerName.test(name) || !headerValue.test(value) || reservedHeaders.has(name.toLowerCase())) {
        throw new TypeError(`"${name}" cannot be sent as a header: its name or its value is malformed.`);
      }
      headers[name.toLowerCase()] = value;
      return builder;
    },
  };
  return { builder, headers };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Types are not checked in a project that is written in JavaScript, and clients get what the builder was given. */
function mustBe(what: string, is: boolean, wanted: string): void {
  if (!is) throw new TypeError(`${what} must be ${wanted}.`);
}

function checkOptions(method: string, options: object, known: readonly string[]): void {
  mustBe(`The options of "${method}"`, isRecord(options), 'an object');
  const problem = unknownOption(options, known);
  if (problem !== undefined) throw new TypeError(`"${method}" has ${problem}`);
  const { html } = options as { readonly html?: unknown };
  mustBe('"html"', html === undefined || isText(html), 'a text');
}

const resultTypes: ReadonlySet<unknown> = new Set<ActionResult['type']>([
  'success',
  'error',
  'webhook',
  'file',
  'redirect',
]);

/** Check what an action returned: a result, or nothing. Throws `CUSTOMIZATION_FAILED` for anything else. */
export function resultOf(returned: unknown): ActionResult | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (typeof returned === 'object' && 'type' in returned && resultTypes.has(returned.type)) {
    return returned as ActionResult;
  }
  throw actionFailed('An action returned something that no method of the result builder has made.');
}

function isFileContent(content: unknown): content is FileContent {
  if (typeof content === 'string' || content instanceof Uint8Array || content instanceof ReadableStream) return true;
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}
