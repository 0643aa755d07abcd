import type { CompiledCollection } from '../../../model/compiled-model.ts';
import type { ListArguments } from './list-arguments.ts';

/** Fields that a note names. */
const maxNamed = 50;

/** What a list leaves out. */
interface LeftOut {
  readonly fields: readonly string[];
  /** Records of the page that did not fit. */
  readonly records: number;
}

/** What a reader of a list should know besides its records. */
export function listNotes(
  { enableCount, maxBytes }: ListArguments,
  { isCountable }: CompiledCollection,
  { fields, records }: LeftOut,
): string[] {
  const notes: string[] = [];
  if (fields.length > 0) {
    const others = fields.length > maxNamed ? ` and ${fields.length - maxNamed} more` : '';
    notes.push(`Left out, because "fields" names nothing: ${fields.slice(0, maxNamed).join(', ')}${others}.`);
  }
  if (records > 0) {
    notes.push(
      `${records} more records of this page do not fit into ${maxBytes} bytes: name fewer fields, or raise maxBytes.`,
    );
  }
  if (enableCount && !isCountable) notes.push('Counting is switched off for this collection.');
  return notes;
}
