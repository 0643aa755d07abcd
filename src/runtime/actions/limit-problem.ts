import type { ActionFile } from '../customizer/form-value.ts';
import { isActionFile } from './action-file.ts';
import type { EvaluatedField } from './evaluated-form.ts';

const bytesPerMb = 1024 * 1024;

/** What a value that has the right type wants of its size, in words, when it goes beyond what the widget allows. */
export function limitProblem({ element, properties }: EvaluatedField, value: unknown): string | undefined {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  switch (element.type) {
    case 'Number':
    case 'NumberList':
      return rangeProblem(values.map(Number), numberOf(properties['min']), numberOf(properties['max']), String);
    case 'Date':
    case 'Dateonly':
      return rangeProblem(values.map(instantOf), instantOf(properties['min']), instantOf(properties['max']), isoText);
    case 'File':
    case 'FileList':
      return fileProblem(values.filter(isActionFile), properties);
    default:
      return undefined;
  }
}

function rangeProblem(
  values: readonly number[],
  min: number,
  max: number,
  show: (bound: number) => string,
): string | undefined {
  // A bound that is not there is not a number, and nothing is beyond it.
  if (values.some((value) => value < min)) return `at least ${show(min)}`;
  if (values.some((value) => value > max)) return `at most ${show(max)}`;
  return undefined;
}

function fileProblem(files: readonly ActionFile[], properties: EvaluatedField['properties']): string | undefined {
  const maxCount = numberOf(properties['maxCount']);
  if (files.length > maxCount) return `at most ${maxCount} files`;
  const maxSizeMb = numberOf(properties['maxSizeMb']);
  if (files.some(({ buffer }) => buffer.byteLength > maxSizeMb * bytesPerMb))
    return `a file of at most ${maxSizeMb} MB`;
  const extensions = properties['extensions'];
  if (!Array.isArray(extensions) || extensions.length === 0) return undefined;
  const allowed = extensions.map((extension) => `.${String(extension).replace(/^\./, '').toLowerCase()}`);
  const isAllowed = ({ name }: ActionFile) => allowed.some((ending) => name.toLowerCase().endsWith(ending));
  return files.every(isAllowed) ? undefined : `a file that ends in ${allowed.join(', ')}`;
}

function numberOf(bound: unknown): number {
  return typeof bound === 'number' ? bound : Number.NaN;
}

function instantOf(date: unknown): number {
  return date === undefined || date === null ? Number.NaN : new Date(date as string | Date).getTime();
}

function isoText(instant: number): string {
  return new Date(instant).toISOString();
}
