import { type CompiledCollection, isValueField } from '../../../model/compiled-model.ts';

/** The names of the fields of a collection that hold values. */
export function valueFields({ fields }: CompiledCollection): string[] {
  return [...fields.values()].filter(isValueField).map(({ name }) => name);
}
