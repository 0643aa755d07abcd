import { cloudError } from '#kernel/errors/cloud-error';
import type { RecordId } from '../wire/record-id.ts';
import type { ActionForm } from './action-form.ts';
import type { ActionAnswer } from './action-result.ts';
import type { FormFieldDocument } from './form-document.ts';
import {
  ActionField,
  CheckboxField,
  CheckboxGroupField,
  ChoiceField,
  ColorPickerField,
  EnumField,
  EnumListField,
  FileField,
  FileListField,
  ListField,
} from './form-field.ts';
import { FormLayout } from './form-layout.ts';

/** How an action is executed. */
export interface ExecuteOptions {
  /** What `signApprovalRequest` gave, perhaps to the client of somebody else. It replaces records and values. */
  readonly signedApprovalRequest?: string;
}

/** How an approval of an action is signed. */
export interface ApprovalOptions {
  /** How long the approval is good. Default 600. */
  readonly expiresInSeconds?: number;
}

/** How the values of a form are sent. */
export interface ActionRun {
  execute(values: Readonly<Record<string, unknown>>, options: ExecuteOptions): Promise<ActionAnswer>;
  sign(values: Readonly<Record<string, unknown>>, expiresInSeconds: number): Promise<string>;
}

type FieldClass<Field> = new (form: ActionForm, name: string) => Field;
type Fits = (field: FormFieldDocument) => boolean;

/**
 * An action on the records that were selected, with its form. Values that are filled in stay until the action runs, and after.
 * Methods that ask for a field throw `UnknownActionFieldError` while the form has none of that name, with the nearest name, and
 * `TEST_FORM_MISUSED` for a field of another type.
 */
export class ActionClient {
  readonly #form: ActionForm;
  readonly #run: ActionRun;

  constructor(form: ActionForm, run: ActionRun) {
    this.#form = form;
    this.#run = run;
  }

  /**
   * Run the action with the values of the form. Rejects with `ActionFailedError` when the code answers with `resultBuilder.error`,
   * with `ActionFormValidationError`, with `ActionRequiresApprovalError`, and with `AgentHttpError` otherwise.
   */
  execute(options: ExecuteOptions = {}): Promise<ActionAnswer> {
    return this.#run.execute(this.#form.values(), options);
  }

  /**
   * Sign the action, its records and its values for the user of this client, as the platform does when somebody approves the
   * request. The text is good for one run, by a person who may approve it.
   */
  signApprovalRequest({ expiresInSeconds = 600 }: ApprovalOptions = {}): Promise<string> {
    return this.#run.sign(this.#form.values(), expiresInSeconds);
  }

  /** Fill fields in, in the order given: the form may change after each. Rejects with `UnknownActionFieldError`. */
  async setFields(values: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) await this.#form.set(name, value);
  }

  /** The same, but fields that the form does not show are left out; resolves to their names. */
  async tryToSetFields(values: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    const skipped: string[] = [];
    for (const [name, value] of Object.entries(values)) {
      if (this.#form.has(name)) await this.#form.set(name, value);
      else skipped.push(name);
    }
    return skipped;
  }

  doesFieldExist(name: string): boolean {
    return this.#form.has(name);
  }

  /** The fields in the order of the form. */
  getFields(): readonly ActionField[] {
    return this.#form.document.fields.map(({ field }) => new ActionField(this.#form, field));
  }

  getField(name: string): ActionField {
    this.#form.field(name);
    return new ActionField(this.#form, name);
  }

  getFieldString(name: string): ActionField<string> {
    return this.#typed(name, 'String', ActionField<string>);
  }

  /** Numbers that JSON does not hold exactly are filled in as texts. */
  getFieldNumber(name: string): ActionField<number | string> {
    return this.#typed(name, 'Number', ActionField<number | string>);
  }

  getFieldJson(name: string): ActionField {
    return this.#typed(name, 'Json', ActionField);
  }

  getFieldStringList(name: string): ListField<string> {
    return this.#typed(name, 'StringList', ListField<string>);
  }

  getFieldNumberList(name: string): ListField<number> {
    return this.#typed(name, 'NumberList', ListField<number>);
  }

  /** Of type Date, Dateonly or Time; its value is a text in ISO 8601. */
  getDateField(name: string): ActionField<Date | string> {
    const fits: Fits = (field) => ['Date', 'Dateonly', 'Time'].includes(typeNameOf(field));
    return this.#fitting(name, 'a date', fits, ActionField<Date | string>);
  }

  getEnumField(name: string): EnumField {
    return this.#typed(name, 'Enum', EnumField);
  }

  getEnumListField(name: string): EnumListField {
    return this.#typed(name, 'EnumList', EnumListField);
  }

  getCheckboxField(name: string): CheckboxField {
    return this.#typed(name, 'Boolean', CheckboxField);
  }

  getFileField(name: string): FileField {
    return this.#typed(name, 'File', FileField);
  }

  getFileListField(name: string): FileListField {
    return this.#typed(name, 'FileList', FileListField);
  }

  /** Picks a record of a collection; its value is the packed key. */
  getCollectionField(name: string): ActionField<RecordId> {
    const fits: Fits = ({ reference }) => typeof reference === 'string';
    return this.#fitting(name, 'a record of a collection', fits, ActionField<RecordId>);
  }

  getCheckboxGroupField(name: string): CheckboxGroupField {
    return this.#edited(name, 'checkboxes', CheckboxGroupField);
  }

  getDropdownField(name: string): ChoiceField {
    return this.#edited(name, 'dropdown', ChoiceField);
  }

  getRadioGroupField(name: string): ChoiceField {
    return this.#edited(name, 'radio button', ChoiceField);
  }

  getColorPickerField(name: string): ColorPickerField {
    return this.#edited(name, 'color editor', ColorPickerField);
  }

  /** Pages, rows, texts and separators, as the form is now. */
  getLayout(): FormLayout {
    return new FormLayout(this.#form.document);
  }

  #typed<Field>(name: string, type: string, of: FieldClass<Field>): Field {
    const fits: Fits = (field) => typeNameOf(field) === type && typeof field.reference !== 'string';
    return this.#fitting(name, `of the type ${type}`, fits, of);
  }

  #edited<Field>(name: string, widget: string, of: FieldClass<Field>): Field {
    return this.#fitting(name, `edited by a ${widget}`, ({ widgetEdit }) => widgetEdit?.name === widget, of);
  }

  #fitting<Field>(name: string, expected: string, fits: Fits, of: FieldClass<Field>): Field {
    const field = this.#form.field(name);
    if (fits(field)) return new of(this.#form, name);
    const widget = field.widgetEdit ? ` and edited by a ${field.widgetEdit.name}` : '';
    throw cloudError(
      'TEST_FORM_MISUSED',
      `The field "${name}" is not ${expected}: it is of the type ${typeNameOf(field)}${widget}.`,
      'Ask for it with the method that fits, or with getField.',
    );
  }
}

function typeNameOf({ type }: FormFieldDocument): string {
  return typeof type === 'string' ? type : `${type[0]}List`;
}
