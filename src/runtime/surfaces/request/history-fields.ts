import type { RecordedWrite } from '#contracts/history';
import {
  type CompiledCollection,
  type CompiledModel,
  columnOf,
  isValueField,
  type ValueField,
} from '../../model/compiled-model.ts';
import type { ShownRights } from '../../permissions/authoriser.ts';
import type { RecordData } from '../../query/record-query.ts';

/** The fields of a collection that the caller sees, by the names that values are kept under. */
export class ShownFields {
  readonly #model: CompiledModel;
  readonly #collection: CompiledCollection;

  constructor(model: CompiledModel, collection: CompiledCollection) {
    this.#model = model;
    this.#collection = collection;
  }

  /** `undefined` for a field that the caller may not know of, and for one that there is no more. */
  of(original: string): ValueField | undefined {
    const { names } = this.#model;
    const { name, fields } = this.#collection;
    const field = fields.get(names.publishedName(name, original));
    const isSame = field && names.originalPath(name, field.name) === original;
    return isSame && isValueField(field) ? field : undefined;
  }

  isMasked({ name }: ValueField): boolean {
    return this.#collection.limits.get(name)?.mask !== undefined;
  }

  /** Whether a request of the caller may give it a value. */
  isWritable(field: ValueField | undefined): boolean {
    return field !== undefined && !columnOf(field).isReadOnly && !this.isMasked(field);
  }

  readOnly(): string[] {
    const fields = [...this.#collection.fields.values()].filter(isValueField);
    return fields.filter((field) => columnOf(field).isReadOnly).map(({ name }) => name);
  }

  /** Whether deletion marks the records, so that they come back as they were. */
  get areMarked(): boolean {
    return Boolean(this.#collection.native.softDelete);
  }

  /** Whether a record can be made again under its key. */
  get isKeyGiven(): boolean {
    const { primaryKey, fields } = this.#collection;
    return primaryKey.every((key) => {
      const field = fields.get(key);
      return field && isValueField(field) && this.isWritable(field);
    });
  }

  /** Whether the caller may write what takes a write back, as far as no record says otherwise. */
  mayUndo(action: string, rights: ShownRights): boolean {
    if (!isUndoable(action)) return false;
    const right = action === 'delete' && this.areMarked ? 'delete' : rightsOfUndo[action];
    return rights.has(this.#collection.name, right);
  }

  names(published: readonly string[]): string[] {
    return published.filter((name) => this.#collection.fields.has(name));
  }

  /** Values by published names, masked where the caller sees a mask. */
  shown(values: RecordData): RecordData {
    return this.#mapped(values, (field, value) => {
      const mask = this.#collection.limits.get(field.name)?.mask;
      return mask ? mask(value) : value;
    });
  }

  /** The same of what a request may write. */
  writable(values: RecordData): RecordData {
    return this.#mapped(values, (field, value) => (this.isWritable(field) ? value : undefined));
  }

  #mapped(values: RecordData, shownAs: (field: ValueField, value: unknown) => unknown): RecordData {
    return Object.fromEntries(
      Object.entries(values).flatMap(([original, value]) => {
        const field = this.of(original);
        const shown = field && shownAs(field, value);
        return field && shown !== undefined ? [[field.name, shown] as const] : [];
      }),
    );
  }
}

const undoable = ['create', 'update', 'delete'] as const;
export type Undoable = (typeof undoable)[number];

/** The right that an undo needs. */
const rightsOfUndo = { create: 'delete', update: 'edit', delete: 'add' } as const;

export function isUndoable(action: string): action is Undoable {
  return undoable.some((each) => each === action);
}

/** Why the caller cannot take a write back; `undefined` where nothing is known to be in the way. */
export function obstacle(write: RecordedWrite, fields: ShownFields): string | undefined {
  const { action, status, values } = write;
  if (!isUndoable(action)) return 'only creations, updates and deletions can be taken back';
  if (status !== 'completed' || !values) return 'its values are not kept';
  const names = Object.keys({ ...values.before, ...values.after });
  if (names.some((name) => !fields.of(name))) return 'it is about fields that your rights do not show';
  if (names.length === 0 && Object.keys(values.unkept).length === 0) return 'it changed nothing';
  if (action === 'update' && Object.keys(values.unkept).length > 0) return 'not all of its values are kept';
  const masked = names.flatMap((name) => fields.of(name) ?? []).filter((field) => fields.isMasked(field));
  if (masked.length > 0) return `${masked.map(({ name }) => `"${name}"`).join(', ')} is shown to you masked`;
  if (action === 'delete' && !fields.areMarked && !fields.isKeyGiven)
    return 'the database gives the key of a new record itself';
  const writable = names.filter((name) => fields.isWritable(fields.of(name)));
  return action === 'update' && writable.length === 0 ? 'its fields are read-only' : undefined;
}
