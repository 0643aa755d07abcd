import type { Tone } from '#contracts/visible-schema';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { DeclarationOf, DeclarationOnCollection } from '../customizer/declaration.ts';
import { unknownOperator } from '../query/check-condition.ts';
import { inCodeSpelling } from '../query/code-spelling.ts';
import { operatorArguments } from '../query/operators.ts';
import { type CustomizedDraft, kindInWords, type Refuse, rulesOf } from './collection-draft.ts';
import { type ActionAddressing, compileAction } from './compile-action.ts';
import { addChart } from './compile-chart.ts';
import { type Fault, unknownName } from './compile-problem.ts';

/** Takes what is wrong with the declaration at hand. */
type RefuseRule = (fault: Fault) => void;
type AddRule<Kind extends DeclarationOnCollection['kind']> = (
  draft: CustomizedDraft,
  declaration: DeclarationOf<Kind>,
  refuse: RefuseRule,
  addressing: ActionAddressing,
) => void;

const hookTypes: ReadonlySet<string> = new Set(['List', 'Create', 'Update', 'Delete', 'Aggregate']);
const tones: ReadonlySet<string> = new Set<Tone>(['neutral', 'info', 'success', 'warning', 'danger']);
const nothing = () => undefined;

/** The change that each kind of declaration makes to the draft of its collection, once all field names are known. */
const addRules: { readonly [Kind in DeclarationOnCollection['kind']]: AddRule<Kind> } = {
  collection: nothing,
  field: nothing,
  import: nothing,
  relation: nothing,
  'external relation': nothing,
  flatten: nothing,
  'fields of an action': nothing,
  'remove collection'(draft) {
    draft.isRemoved = true;
  },
  segment(draft, { name, definition }, refuse) {
    if (typeof name !== 'string' || name.trim() === '') refuse(`A segment of "${draft.name}" needs a name.`);
    else if (draft.segments.has(name)) refuse(`"${draft.name}" has a segment "${name}" already.`);
    else draft.segments.set(name, typeof definition === 'function' ? definition : inCodeSpelling(definition));
  },
  action(draft, { name, definition }, refuse, addressing) {
    if (typeof name !== 'string' || name.trim() === '') return refuse(`An action of "${draft.name}" needs a name.`);
    const isTaken = [...draft.actions.values()].some((action) => action.name === name);
    const compiled = compileAction(name, draft.actionCount, definition, addressing);
    draft.actionCount += 1;
    if (isTaken) refuse(`"${draft.name}" has an action "${name}" already.`);
    else if (typeof compiled === 'string') refuse(`The action "${name}" of "${draft.name}" ${compiled}`);
    else if (draft.actions.has(compiled.address)) {
      const other = draft.actions.get(compiled.address)?.name;
      refuse(
        `The actions "${other}" and "${name}" of "${draft.name}" would have the same address, "${compiled.slug}".`,
      );
    } else draft.actions.set(compiled.address, compiled);
  },
  chart(draft, declaration, refuse) {
    addChart(draft.charts, declaration, `"${draft.name}"`, refuse);
  },
  'rename field'(draft, { name: current, newName }, refuse) {
    // The field may have been renamed before; then the declaration uses the new name.
    const [renamed = current] = [...draft.renames].find(([, alias]) => alias === current) ?? [];
    const name = draft.fields.has(current) ? current : renamed;
    if (!hasField(draft, name, refuse)) return;
    if (typeof newName !== 'string' || newName === '' || /[\s:]/.test(newName)) {
      refuse(`The field "${name}" of "${draft.name}" cannot be called "${newName}": a name has no space and no colon.`);
    } else draft.renames.set(name, newName);
  },
  'remove field'(draft, { name }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    if (draft.native.primaryKey.includes(name)) {
      refuse(`The field "${name}" of "${draft.name}" cannot be removed: it is part of the primary key.`);
    } else if (draft.title === name) refuse(titleRemoved(draft));
    else draft.removedFields.add(name);
  },
  validation(draft, { name, operator, value }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    if (!Object.hasOwn(operatorArguments, operator)) {
      return refuse(`The validation of "${name}" of "${draft.name}" is wrong: ${unknownOperator(operator, 'code')}.`);
    }
    const rules = draft.validations.get(name) ?? [];
    draft.validations.set(name, [...rules, { operator, value }]);
  },
  'nullable field'(draft, { name }, refuse) {
    if (hasField(draft, name, refuse)) draft.nullableFields.add(name);
  },
  'field of files'(draft, { name }, refuse) {
    if (hasField(draft, name, refuse)) draft.fileFields.add(name);
  },
  'field writing'(draft, { name, handler }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    if (typeof handler !== 'function') refuse(`The writing of "${name}" of "${draft.name}" needs a function.`);
    else draft.writeHandlers.set(name, handler);
  },
  'binary mode'(draft, { name, mode }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    const field = draft.fields.get(name);
    if (field?.kind !== 'column' || field.type !== 'Binary') {
      refuse(`The field "${name}" of "${draft.name}" holds no bytes, so it has no binary mode.`);
    } else if (mode !== 'datauri' && mode !== 'hex') {
      refuse(`The binary mode of "${name}" of "${draft.name}" is "datauri" or "hex", not "${mode}".`);
    } else draft.binaryModes.set(name, mode);
  },
  'shown field'(draft, { name, reason }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    const isReason = typeof reason === 'string' && reason.trim() !== '';
    if (isReason) draft.shownBecause.set(name, reason);
    else refuse(`The field "${name}" of "${draft.name}" is shown for a reason: say which, as a text.`);
  },
  'untrusted field'(draft, { name }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    const field = draft.fields.get(name);
    if (field && kindInWords(field) === 'relation') {
      refuse(
        `"${name}" of "${draft.name}" cannot be marked: it is a relation. Mark fields of the collection behind it.`,
      );
    } else if (draft.native.primaryKey.includes(name)) {
      refuse(
        `The field "${name}" of "${draft.name}" cannot be marked: it is part of the key, which every answer shows.`,
      );
    } else if (draft.trust.get(name)?.isTrusted) refuse(trustedAndNot(draft, name));
    else draft.trust.set(name, { isTrusted: false });
  },
  'trusted field'(draft, { name, reason }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    const isReason = typeof reason === 'string' && reason.trim() !== '';
    if (!isReason) refuse(`The field "${name}" of "${draft.name}" is trusted for a reason: say which, as a text.`);
    else if (draft.trust.get(name)?.isTrusted === false) refuse(trustedAndNot(draft, name));
    else draft.trust.set(name, { isTrusted: true, reason });
  },
  tone(draft, { name, tones: declared }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    const field = draft.fields.get(name);
    const values = field?.kind === 'column' ? field.enumValues : undefined;
    const toned: [value: string, tone: Tone][] = [];
    for (const [value, tone] of Object.entries(declared ?? {})) {
      if (tone === undefined) continue;
      const subject = `The tone of "${value}" of "${name}" of "${draft.name}"`;
      if (!tones.has(tone)) refuse(`${subject} is one of ${[...tones].join(', ')}, not "${tone}".`);
      else if (values && !values.includes(value)) {
        refuse(`${subject} is about no value of the field.${didYouMean(nearestName(value, values))}`);
      } else toned.push([value, tone]);
    }
    draft.tones.set(name, Object.fromEntries(toned));
  },
  'filter emulation'(draft, { name, operator }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    const rules = rulesOf(draft, name);
    if (operator === undefined) rules.isWhollyEmulated = true;
    else if (!Object.hasOwn(operatorArguments, operator))
      refuse(`"${name}" of "${draft.name}": ${unknownOperator(operator, 'code')}.`);
    else {
      rules.replacedOperators.delete(operator);
      rules.emulatedOperators.add(operator);
    }
  },
  'operator replacement'(draft, { name, operator, handler }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    const subject = `The operator "${operator}" of "${name}" of "${draft.name}"`;
    if (!Object.hasOwn(operatorArguments, operator)) return refuse(`${subject}: ${unknownOperator(operator, 'code')}.`);
    if (typeof handler !== 'function') return refuse(`${subject} needs a function to be replaced by.`);
    const rules = rulesOf(draft, name);
    rules.emulatedOperators.delete(operator);
    rules.replacedOperators.set(operator, handler);
  },
  'sort emulation'(draft, { name }, refuse) {
    if (hasField(draft, name, refuse)) rulesOf(draft, name).sort = 'emulated';
  },
  'sort replacement'(draft, { name, sort }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    if (!Array.isArray(sort) || sort.length === 0) refuse(`"${name}" of "${draft.name}" needs something to sort by.`);
    else if (!sort.every(isSortClause))
      refuse(`"${name}" of "${draft.name}" is sorted by what is no { field, ascending }.`);
    else rulesOf(draft, name).sort = sort;
  },
  'sort ban'(draft, { name }, refuse) {
    if (hasField(draft, name, refuse)) rulesOf(draft, name).sort = 'banned';
  },
  search(draft, { handler }, refuse) {
    if (handler !== undefined && typeof handler !== 'function') {
      return refuse(`The search of "${draft.name}" needs a function.`);
    }
    // Code of the project may search by what it says where requests may not.
    draft.search = handler ?? draft.search;
    draft.isSearchBanned = handler === undefined;
  },
  'count ban'(draft) {
    draft.isCountable = false;
  },
  history(draft, _declaration, refuse) {
    if (draft.native.primaryKey.length > 0) draft.keepsHistory = true;
    else refuse(`The history of "${draft.name}" cannot be kept: the collection has no primary key.`);
  },
  title(draft, { name }, refuse) {
    if (!hasField(draft, name, refuse)) return;
    draft.title = name;
    if (draft.removedFields.has(name)) refuse(titleRemoved(draft));
  },
  hook(draft, { position, type, handler }, refuse) {
    if (position !== 'Before' && position !== 'After') refuse(`A hook of "${draft.name}" is "Before" or "After".`);
    else if (!hookTypes.has(type)) {
      refuse(`"${draft.name}" has no hook "${type}".${didYouMean(nearestName(String(type), hookTypes))}`);
    } else if (typeof handler !== 'function')
      refuse(`The hook ${position} ${type} of "${draft.name}" needs a function.`);
    else draft.hooks.push({ position, type, handler });
  },
  override(draft, { verb, handler }, refuse) {
    if (typeof handler !== 'function') return refuse(`The override of ${verb} of "${draft.name}" needs a function.`);
    if (draft.overrides[verb]) return refuse(`"${draft.name}" has an override of ${verb} already.`);
    Object.assign(draft.overrides, { [verb]: handler });
  },
};

/** Take what a declaration says of a collection and its fields into the draft. */
export function addRule(
  draft: CustomizedDraft,
  declaration: DeclarationOnCollection,
  refuse: Refuse,
  addressing: ActionAddressing,
): void {
  const add = addRules[declaration.kind] as AddRule<DeclarationOnCollection['kind']>;
  add(draft, declaration, (fault) => refuse(fault, declaration), addressing);
}

function trustedAndNot({ name: collection }: CustomizedDraft, name: string): string {
  return `The field "${name}" of "${collection}" is both marked as untrusted and trusted: say one of the two.`;
}

function titleRemoved({ name, title }: CustomizedDraft): string {
  return `The title of "${name}" is the field "${title}", which is removed: keep it, or name another one.`;
}

function isSortClause(clause: unknown): boolean {
  if (typeof clause !== 'object' || clause === null || !('field' in clause) || !('ascending' in clause)) return false;
  return typeof clause.field === 'string' && typeof clause.ascending === 'boolean';
}

function hasField(draft: CustomizedDraft, name: string, refuse: RefuseRule): boolean {
  if (draft.fields.has(name)) return true;
  refuse(unknownName(`The collection "${draft.name}" has no field`, name, draft.fields.keys()));
  return false;
}
