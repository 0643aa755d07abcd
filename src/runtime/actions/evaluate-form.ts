import { formProblem, propertyProblem } from '../compile/form-problem.ts';
import type { AnyActionDefinition } from '../customizer/action-definition.ts';
import { type AnyFormElement, fieldId, fieldsIn, isDynamic, isLayout } from '../customizer/form-element.ts';
import {
  type ActionCall,
  actionFailed,
  createReads,
  formContext,
  hasRead,
  type Reads,
  runActionCode,
} from './action-code.ts';
import { type EvaluatedForm, type EvaluatedNode, type FormInput, fieldsOfNodes } from './evaluated-form.ts';
import {
  createCell,
  fieldsOfPlan,
  flattenPlan,
  type PlannedElement,
  type PlannedFormField,
  planForm,
  runCell,
  valueOfCell,
} from './form-plan.ts';
import { enteredValue, type FormValues, isShown, type Settlement, settleForm } from './settle-form.ts';

const checkedProperties = ['options', 'enumValues', 'base', 'currency'];

/**
 * Evaluate the form of an action. A field is visible when its `if` gives something truthy; a hidden field has no value, not
 * even its default. Every function sees the final values of all fields, whatever their order. The definition never changes.
 *
 * @param subject What errors of its code call the form.
 * @throws `CUSTOMIZATION_FAILED` for a form that threw or has a wrong shape, and whatever `decode` throws.
 */
export async function evaluateForm(
  subject: string,
  definition: Pick<AnyActionDefinition, 'form'>,
  call: ActionCall,
  input: FormInput,
): Promise<EvaluatedForm> {
  const formReads = createReads();
  const obtain = async (values: ReadonlyMap<string, unknown>): Promise<readonly AnyFormElement[]> => {
    const { form } = definition;
    if (typeof form !== 'function') return (form ?? []) as readonly AnyFormElement[];
    const context = formContext(call, Object.fromEntries(values), formReads, input.changedField);
    const made = await runActionCode(subject, async () => form(context));
    const problem = formProblem(made);
    if (problem !== undefined) throw actionFailed(`${subject} cannot be used: ${problem}`);
    return made as readonly AnyFormElement[];
  };

  let elements = await obtain(input.sent);
  const submitted = await decodeSent(subject, elements, call, input);
  // The function has read packed keys and data URIs in place of keys and files.
  const wasMisled = [...submitted].some(([id, value]) => value !== input.sent.get(id) && hasRead(formReads, id));
  if (typeof definition.form === 'function' && wasMisled) elements = await obtain(submitted);

  const settled = await settle(subject, elements, submitted, call, input);
  const form = evaluatedForm(settled, formReads, input);
  for (const { id, element, properties } of form.fields) {
    // Properties that are not functions were checked with the form.
    if (checkedProperties.every((name) => properties[name] === element[name])) continue;
    const problem = propertyProblem(properties);
    if (problem !== undefined) throw actionFailed(`${subject} cannot be used: the field "${id}" ${problem}`);
  }
  return form;
}

async function decodeSent(
  subject: string,
  elements: readonly AnyFormElement[],
  call: ActionCall,
  { sent, decode, changedField }: FormInput,
): Promise<FormValues> {
  const decoded: FormValues = new Map();
  for (const field of fieldsIn(elements)) {
    const id = fieldId(field);
    if (!sent.has(id)) continue;
    const { collectionName } = field;
    const collection = isDynamic(collectionName)
      ? await runActionCode(subject, async () => {
          const context = formContext(call, Object.fromEntries(sent), createReads(), changedField);
          return typeof collectionName === 'function' ? collectionName(context) : collectionName;
        })
      : collectionName;
    decoded.set(id, decode(field, sent.get(id), collection));
  }
  return decoded;
}

interface Settled {
  readonly settlement: Settlement;
  /** All fields by id, hidden ones too. */
  readonly fields: ReadonlyMap<string, PlannedFormField>;
  /** The default of a field that the client sent. */
  defaultOf(id: string): Promise<unknown>;
}

async function settle(
  subject: string,
  elements: readonly AnyFormElement[],
  submitted: FormValues,
  call: ActionCall,
  { search, changedField }: FormInput,
): Promise<Settled> {
  const values: FormValues = new Map();
  const valuesFor = (ownId: string | undefined): Record<string, unknown> => {
    const own = ownId === undefined ? undefined : fields.get(ownId);
    if (!own) return Object.fromEntries(values);
    // The function must not take its own earlier result for what the user entered.
    const { [own.field.id]: _answer, ...others } = Object.fromEntries(values);
    const entered = enteredValue(settlement, own);
    return entered === undefined ? others : { ...others, [own.field.id]: entered };
  };
  const plan = planForm(
    elements,
    (run, reads, ownId, ...more) => run(formContext(call, valuesFor(ownId), reads, changedField), ...more),
    search,
  );
  const fields = new Map(fieldsOfPlan(plan).map((planned) => [planned.field.id, planned]));
  const isWanted = ({ field }: PlannedElement): boolean => !search || field?.id === search.fieldId;
  const settlement: Settlement = { plan, submitted, values, isWanted };
  await runActionCode(subject, () => settleForm(settlement));
  return {
    settlement,
    fields,
    defaultOf: async (id) => {
      const { defaultCell, element } = fields.get(id)?.field ?? {};
      if (!defaultCell) return element?.['defaultValue'];
      const cell = createCell(id, defaultCell.run);
      await runCell(cell);
      if (cell.result && 'error' in cell.result) throw cell.result.error;
      return valueOfCell(cell);
    },
  };
}

function evaluatedForm(
  { settlement, fields: planned, defaultOf }: Settled,
  formReads: Reads,
  { search }: FormInput,
): EvaluatedForm {
  const { plan, values, submitted } = settlement;
  const reads = [formReads, ...flattenPlan(plan).flatMap(readsOf)];
  const nodeOf = (item: PlannedElement): readonly EvaluatedNode[] => {
    if (!isShown(item)) return [];
    const { element, field } = item;
    const properties = { ...element, ...mapValues(item.properties, valueOfCell) };
    if (isLayout(element)) {
      const children = item.children.flatMap(nodeOf);
      const isContainer = element.component === 'Row' || element.component === 'Page';
      return isContainer && children.length === 0 ? [] : [{ element, properties, children }];
    }
    if (!field) return [];
    const isWatched = reads.some((each) => hasRead(each, field.id));
    return [{ id: field.id, element: field.element, properties, value: values.get(field.id), isWatched }];
  };
  const nodes = plan.flatMap(nodeOf);
  const fields = fieldsOfNodes(nodes);
  const shown = search ? fields.filter(({ id }) => id === search.fieldId) : fields;
  return {
    nodes: search ? shown : nodes,
    fields: shown,
    values: Object.fromEntries(values),
    knownIds: new Set(planned.keys()),
    expectedValue: async ({ id, element }) => {
      if (!submitted.has(id)) return undefined;
      const valueCell = planned.get(id)?.field.valueCell;
      const computed = valueCell ? valueOfCell(valueCell) : element['value'];
      if (computed !== undefined) return { value: computed };
      // A function that gives nothing keeps the value, which may be one of its own earlier results.
      return valueCell ? undefined : { value: await defaultOf(id) };
    },
  };
}

function readsOf({ conditions, properties, field }: PlannedElement): readonly Reads[] {
  const own = [field?.defaultCell, field?.valueCell].filter((cell) => cell !== undefined);
  return [...conditions, ...properties.values(), ...own].map((cell) => cell.reads);
}

function mapValues<From, To>(map: ReadonlyMap<string, From>, convert: (value: From) => To): Record<string, To> {
  return Object.fromEntries([...map].map(([name, value]) => [name, convert(value)]));
}

/** The defaults of a form that has just opened which are not among the values that a function gave, in sentences. */
export function strayDefaults({ fields }: EvaluatedForm, sent: ReadonlyMap<string, unknown>): readonly string[] {
  return fields.flatMap(({ id, element, properties, value }) => {
    const { enumValues } = properties;
    if (sent.has(id) || !element.type.startsWith('Enum') || !Array.isArray(enumValues)) return [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value ?? enumValues[0]];
    const stray = values.filter((each) => !enumValues.includes(each));
    if (stray.length === 0) return [];
    const shown = stray.map((each) => JSON.stringify(each)).join(', ');
    return [`the field "${id}" does not show its default ${shown}, which is not among its "enumValues".`];
  });
}
