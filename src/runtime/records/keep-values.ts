import type { UnkeptFieldReason } from '#contracts/history';
import { type CompiledCollection, type CompiledModel, wholeModel } from '../model/compiled-model.ts';
import { isListType } from '../query/operators.ts';
import type { CallContext } from './calls/call-context.ts';
import type { RecordReader } from './request/record-reader.ts';
import type { KeepValues, KeptColumns } from './write/kept-values.ts';

/** What a write of a collection keeps of the values; `undefined` where nothing is kept. */
export function keepValues(
  { model, engine }: Pick<RecordReader, 'model' | 'engine'>,
  name: string,
  { notes }: CallContext,
): KeepValues | undefined {
  const stored = engine.collectionNamed(name);
  if (!stored.keepsHistory || !notes?.values) return undefined;
  return { columns: keptColumns(wholeModel(model), stored), notes: notes.values };
}

const known = new WeakMap<CompiledCollection, KeptColumns>();

/**
 * The columns of a collection by their original names. Values are kept of those that the project shows, whatever roles may see of them:
 * the rights of whoever reads the history decide then.
 *
 * @param whole The model of everybody.
 */
function keptColumns(whole: CompiledModel, stored: CompiledCollection): KeptColumns {
  const found = known.get(stored);
  if (found) return found;
  const { names, collections } = whole;
  const shown = new Set(
    [...(collections.get(stored.name)?.fields.keys() ?? [])].map((field) => names.originalPath(stored.name, field)),
  );
  const columns = new Map<string, 'kept' | UnkeptFieldReason>();
  for (const field of stored.native.fields.values()) {
    if (field.kind !== 'column' || field.expression) continue;
    const { name, type } = field;
    const isBinary = type === 'Binary' || (isListType(type) && type[0] === 'Binary');
    if (!shown.has(name)) columns.set(name, 'hidden');
    else if (isSecretName(name)) columns.set(name, 'secret');
    else columns.set(name, isBinary ? 'binary' : 'kept');
  }
  known.set(stored, columns);
  return columns;
}

const secretWords =
  /(?:password|passwd|passphrase|secret|token|credential|api_?key|private_?key|access_?key|recovery_?code|salt)/i;

/** Whether a column looks as if it holds a secret, by its name. */
function isSecretName(name: string): boolean {
  return secretWords.test(name) || /(?:^|_)(?:pin|otp|cvv|cvc|ssn|iban)(?:$|_)/i.test(name);
}
