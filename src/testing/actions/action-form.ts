import type { SchemaAction } from '#contracts/schema-document';
import { type ActionFile, fileUriOf } from '#runtime/index';
import { expectShape, UnknownActionFieldError } from '../errors/agent-test-errors.ts';
import { packId, type RecordId } from '../wire/record-id.ts';
import { type FormDocument, type FormFieldDocument, formInSchema, formSchema } from './form-document.ts';

/** Asks the agent for the form as it is now; `attributes` tell what was filled in. */
export type AskForForm = (hook: 'load' | 'change' | 'search', attributes: object) => Promise<unknown>;

/** The form that a test fills in. It asks the agent again after an edit, just as a browser does. */
export class ActionForm {
  readonly #action: string;
  readonly #ask: AskForForm;
  #document: FormDocument;

  private constructor(action: string, ask: AskForForm, document: FormDocument) {
    this.#action = action;
    this.#ask = ask;
    this.#document = document;
  }

  /** The form as it opens. A form that is the same for everybody is in the schema, and nothing is asked. */
  static async open({ name, hooks, fields, layout }: SchemaAction, ask: AskForForm): Promise<ActionForm> {
    const document = hooks.load ? formOf(await ask('load', { fields: [] })) : formInSchema({ fields, layout });
    return new ActionForm(name, ask, document);
  }

  get document(): FormDocument {
    return this.#document;
  }

  /** Throws `UnknownActionFieldError`. */
  field(name: string): FormFieldDocument {
    const { fields } = this.#document;
    const found = fields.find(({ field }) => field === name);
    if (found) return found;
    const known = fields.map(({ field }) => field);
    throw new UnknownActionFieldError(this.#action, name, known);
  }

  has(name: string): boolean {
    return this.#document.fields.some(({ field }) => field === name);
  }

  /** Fill a field in, and ask for the form again where the field says so. Rejects with `UnknownActionFieldError`. */
  async set(name: string, value: unknown): Promise<void> {
    const field = this.field(name);
    const filled = { ...field, value: encodeFormValue(field, value) };
    const fields = this.#document.fields.map((other) => (other === field ? filled : other));
    this.#document = { ...this.#document, fields };
    if (typeof field.hook !== 'string') return;
    this.#document = formOf(await this.#ask('change', { fields, changed_field: name }));
  }

  /** Ask for the options of a field that fit a text. The answer has that field only. */
  async search(name: string, text: string): Promise<void> {
    const field = this.field(name);
    const fields = this.#document.fields.map((other) => (other === field ? { ...other, searchValue: text } : other));
    const { fields: answered } = formOf(await this.#ask('search', { fields, search_field: name }));
    const found = new Map(answered.map((other) => [other.field, other]));
    this.#document = {
      ...this.#document,
      fields: this.#document.fields.map((other) => found.get(other.field) ?? other),
    };
  }

  /** The values to run the action with. A field that nobody has filled in and that has no default has none. */
  values(): Readonly<Record<string, unknown>> {
    const filled = this.#document.fields.filter(({ value }) => value !== undefined);
    return Object.fromEntries(filled.map(({ field, value }) => [field, value]));
  }
}

function formOf(body: unknown): FormDocument {
  return expectShape(formSchema, body, 'the form of an action');
}

/** A value as the agent takes it: files as data URIs, keys packed, dates as ISO 8601 texts. */
function encodeFormValue(field: FormFieldDocument, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return field.type === 'Dateonly' ? value.toISOString().slice(0, 10) : value.toISOString();
  if (isFile(value)) return fileUriOf(value);
  if (typeof field.reference === 'string') return packId(value as RecordId);
  if (Array.isArray(value)) return value.map((item) => (isFile(item) ? fileUriOf(item) : item));
  return value;
}

function isFile(value: unknown): value is ActionFile {
  return typeof value === 'object' && value !== null && 'buffer' in value && value.buffer instanceof Uint8Array;
}
