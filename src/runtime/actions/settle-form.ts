import { isDeepStrictEqual } from 'node:util';
import { actionFailed } from './action-code.ts';
import { ownCopy } from './check-form-values.ts';
import {
  type FormCell,
  fieldsOfPlan,
  flattenPlan,
  markStale,
  type PlannedElement,
  type PlannedFormField,
  runCell,
  valueOfCell,
} from './form-plan.ts';

export type FormValues = Map<string, unknown>;

/** A form that is being evaluated. */
export interface Settlement {
  readonly plan: readonly PlannedElement[];
  /** The values that the client sent, decoded. A field in it has no default. */
  readonly submitted: ReadonlyMap<string, unknown>;
  /** The values that functions see. `settleForm` fills them in. */
  readonly values: FormValues;
  /** Whether somebody needs the properties of an element besides its value. */
  isWanted(planned: PlannedElement): boolean;
}

/**
 * Call the functions of a form until no value changes any more. Each round calls the stale ones at the same time, so that one
 * query reads what they ask for. A function is stale again when a value that it read has changed. Throws what the first visible
 * function threw in the last round, or `CUSTOMIZATION_FAILED` when the values never settle.
 */
export async function settleForm(settlement: Settlement): Promise<void> {
  const { plan, values } = settlement;
  const elements = flattenPlan(plan);
  const fields = fieldsOfPlan(plan);
  const maxRounds = 2 * elements.length + 2;
  replace(values, currentValues(settlement, fields));
  for (let round = 0; ; round++) {
    const cells = elements.flatMap((planned) => askedCells(settlement, planned));
    const stale = [...new Set(cells)].filter((cell) => cell.isStale);
    if (stale.length === 0) break;
    if (round === maxRounds) throw unsettled(fields);
    await Promise.all(stale.map(runCell));
    const next = currentValues(settlement, fields);
    markStale(cells, differences(values, next));
    replace(values, next);
  }
  for (const planned of elements) throwFirst(settlement, planned);
}

/** Whether an element is visible: every condition gave something truthy. */
export function isShown(planned: PlannedElement): boolean {
  return planned.conditions.every((condition) => Boolean(valueOfCell(condition)));
}

/** The value of a field without its `value` property: what the client sent, else the default. */
export function enteredValue({ submitted }: Settlement, { field }: PlannedFormField): unknown {
  if (submitted.has(field.id)) return submitted.get(field.id);
  return field.defaultCell ? valueOfCell(field.defaultCell) : ownCopy(field.element['defaultValue']);
}

/** The functions that count now: conditions always, the others of visible elements only. */
function askedCells(settlement: Settlement, planned: PlannedElement): readonly FormCell[] {
  const { conditions, properties, field } = planned;
  if (!isShown(planned)) return conditions;
  const asked = [...conditions];
  if (field?.valueCell) asked.push(field.valueCell);
  if (field?.defaultCell && !settlement.submitted.has(field.id)) asked.push(field.defaultCell);
  if (settlement.isWanted(planned)) asked.push(...properties.values());
  return asked;
}

function currentValues(settlement: Settlement, fields: readonly PlannedFormField[]): FormValues {
  const values: FormValues = new Map();
  for (const planned of fields) {
    if (!isShown(planned)) continue;
    const { id, element, valueCell } = planned.field;
    const computed = valueCell ? valueOfCell(valueCell) : ownCopy(element['value']);
    const value = computed === undefined ? enteredValue(settlement, planned) : computed;
    if (value !== undefined) values.set(id, value);
  }
  return values;
}

function differences(before: FormValues, after: FormValues): readonly string[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].filter((id) => before.has(id) !== after.has(id) || !isDeepStrictEqual(before.get(id), after.get(id)));
}

function replace(values: FormValues, next: FormValues): void {
  values.clear();
  for (const [id, value] of next) values.set(id, value);
}

/** A condition that threw hides its element, so its error counts where the element would be visible. */
function throwFirst(settlement: Settlement, planned: PlannedElement): void {
  const outer = planned.conditions.slice(0, -1);
  const own = planned.conditions.at(-1);
  if (own && outer.every((condition) => Boolean(valueOfCell(condition)))) throwError(own);
  for (const cell of askedCells(settlement, planned)) {
    if (isShown(planned)) throwError(cell);
  }
}

function throwError(cell: FormCell): void {
  if (cell.result && 'error' in cell.result) throw cell.result.error;
}

function unsettled(fields: readonly PlannedFormField[]) {
  const isUnsettled = ({ conditions, field: { valueCell, defaultCell } }: PlannedFormField) =>
    [...conditions, valueCell, defaultCell].some((cell) => cell?.isStale);
  const ids = fields.filter(isUnsettled).map(({ field }) => `"${field.id}"`);
  return actionFailed(`The fields ${ids.join(', ')} of a form compute or hide one another without end.`);
}
