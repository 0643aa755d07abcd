import { type ActionFile, parseFileUri } from '#runtime/index';
import { UnknownNameError } from '../errors/agent-test-errors.ts';
import type { ActionForm } from './action-form.ts';
import type { FormFieldDocument } from './form-document.ts';

/**
 * A field of a form, as it is now. Its answers follow what the test fills in elsewhere. Every method throws or rejects with
 * `UnknownActionFieldError` while the form does not show the field.
 */
export class ActionField<Value = unknown> {
  protected readonly form: ActionForm;
  readonly #name: string;

  constructor(form: ActionForm, name: string) {
    this.form = form;
    this.#name = name;
  }

  /** Id of the field: its label, unless the code gives it an id of its own. */
  getName(): string {
    return this.#name;
  }

  getLabel(): string {
    return this.getPlainField().label ?? this.#name;
  }

  /** `undefined` for none. */
  getDescription(): string | undefined {
    return this.getPlainField().description ?? undefined;
  }

  /** `String`, `Number`, …; the type of the items in brackets for a list: `['String']`. */
  getType(): string | readonly [string] {
    return this.getPlainField().type;
  }

  /** The type as one word: `StringList` for `['String']`. */
  getTypeName(): string {
    const type = this.getType();
    return typeof type === 'string' ? type : `${type[0]}List`;
  }

  /** `null` where it was emptied, `undefined` where it has no value yet. */
  getValue(): Value | null | undefined {
    return this.getPlainField().value as Value | null | undefined;
  }

  isRequired(): boolean {
    return this.getPlainField().isRequired === true;
  }

  isReadOnly(): boolean {
    return this.getPlainField().isReadOnly === true;
  }

  /** The field as the agent sent it. */
  getPlainField(): FormFieldDocument {
    return this.form.field(this.#name);
  }

  /** Fill it in; `null` empties it. The value is not checked here: the agent does so when the action runs. */
  async fill(value: Value | null): Promise<void> {
    await this.form.set(this.#name, value);
  }

  protected parameter(name: string): unknown {
    return this.getPlainField().widgetEdit?.parameters[name];
  }
}

/** A list. */
export class ListField<Item> extends ActionField<readonly Item[]> {
  /** Add an item behind the others. */
  async add(item: Item): Promise<void> {
    await this.fill([...(this.getValue() ?? []), item]);
  }

  /** Take the first item that is equal out. Rejects with `UnknownNameError` if there is none. */
  async remove(item: Item): Promise<void> {
    const items = this.getValue() ?? [];
    const index = items.indexOf(item);
    if (index < 0)
      throw new UnknownNameError(`The list "${this.getName()}"`, 'option', String(item), items.map(String));
    await this.fill(items.toSpliced(index, 1));
  }
}

/** A choice that a form offers. */
export interface FieldOption {
  readonly label: string;
  readonly value: string | number;
}

export class EnumField extends ActionField<string> {
  getOptions(): readonly string[] {
    return this.getPlainField().enums ?? [];
  }

  /** Rejects with `UnknownNameError` for what is not an option. */
  async select(option: string): Promise<void> {
    await this.fill(optionNamed(this.getName(), option, this.getOptions()));
  }
}

export class EnumListField extends ListField<string> {
  getOptions(): readonly string[] {
    return this.getPlainField().enums ?? [];
  }

  /** Rejects with `UnknownNameError` for what is not an option. */
  override async add(option: string): Promise<void> {
    await super.add(optionNamed(this.getName(), option, this.getOptions()));
  }
}

export class CheckboxField extends ActionField<boolean> {
  async check(): Promise<void> {
    await this.fill(true);
  }

  async uncheck(): Promise<void> {
    await this.fill(false);
  }
}

/** A dropdown or radio buttons. */
export class ChoiceField extends ActionField<string | number> {
  getOptions(): readonly FieldOption[] {
    return optionsIn(this.parameter('static'));
  }

  /** Choose by value or by label. Rejects with `UnknownNameError` for what is not an option. */
  async select(option: string | number): Promise<void> {
    await this.fill(choiceOf(this.getName(), option, this.getOptions()));
  }

  /** Ask for the options of a dynamic search that fit a text. */
  async search(text: string): Promise<readonly FieldOption[]> {
    await this.form.search(this.getName(), text);
    return this.getOptions();
  }
}

export class CheckboxGroupField extends ListField<string | number> {
  getOptions(): readonly FieldOption[] {
    return optionsIn(this.parameter('static'));
  }

  /** Choose by value or by label. Rejects with `UnknownNameError` for what is not an option. */
  async check(option: string | number): Promise<void> {
    const value = choiceOf(this.getName(), option, this.getOptions());
    if (!this.getValue()?.includes(value)) await this.add(value);
  }

  async uncheck(option: string | number): Promise<void> {
    const value = choiceOf(this.getName(), option, this.getOptions());
    if (this.getValue()?.includes(value)) await this.remove(value);
  }
}

export class ColorPickerField extends ActionField<string> {
  isOpacityEnable(): boolean {
    return this.parameter('enableOpacity') === true;
  }

  /** Empty where the form offers none. */
  getQuickPalette(): readonly string[] {
    const palette = this.parameter('quickPalette');
    return Array.isArray(palette) ? palette.map(String) : [];
  }
}

export class FileField extends ActionField<ActionFile> {
  override getValue(): ActionFile | null | undefined {
    const value = this.getPlainField().value;
    return value === null || value === undefined ? value : parseFileUri(value);
  }
}

export class FileListField extends ActionField<readonly ActionFile[]> {
  override getValue(): readonly ActionFile[] | null | undefined {
    const value = this.getPlainField().value;
    return Array.isArray(value) ? value.flatMap((item) => parseFileUri(item) ?? []) : (value as null | undefined);
  }

  async add(file: ActionFile): Promise<void> {
    await this.fill([...(this.getValue() ?? []), file]);
  }
}

function optionsIn(parameter: unknown): readonly FieldOption[] {
  const isKnown = typeof parameter === 'object' && parameter !== null && 'options' in parameter;
  const options: unknown = isKnown ? parameter.options : [];
  return Array.isArray(options) ? options.map(optionOf) : [];
}

function optionOf(option: unknown): FieldOption {
  const isLabelled = typeof option === 'object' && option !== null && 'value' in option;
  const value = isLabelled ? option.value : option;
  const label = isLabelled && 'label' in option ? option.label : value;
  return { label: String(label), value: typeof value === 'number' ? value : String(value) };
}

function choiceOf(field: string, wanted: string | number, options: readonly FieldOption[]): string | number {
  const found = options.find(({ value }) => value === wanted) ?? options.find(({ label }) => label === wanted);
  if (found) return found.value;
  const known = options.map(({ label }) => label);
  throw new UnknownNameError(`The field "${field}"`, 'option', String(wanted), known);
}

function optionNamed(field: string, wanted: string, options: readonly string[]): string {
  if (options.includes(wanted)) return wanted;
  throw new UnknownNameError(`The field "${field}"`, 'option', wanted, options);
}
