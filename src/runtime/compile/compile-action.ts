import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { AnyActionDefinition } from '../customizer/action-definition.ts';
import type { DeclarationOf } from '../customizer/declaration.ts';
import { type AnyFormElement, fieldId, fieldsIn } from '../customizer/form-element.ts';
import type { CompiledAction, ModelView } from '../model/compiled-model.ts';
import { AbsentElement, type CompileProblem, type Fault, faultOf, problemOf } from './compile-problem.ts';
import { formProblem } from './form-problem.ts';

const scopes: readonly unknown[] = ['Single', 'Bulk', 'Global'] satisfies AnyActionDefinition['scope'][];
const maxLabelLength = 50;

/** How actions are addressed. */
export interface ActionAddressing {
  /** Address actions by their slug only, without their position. Default false. */
  readonly useUnsafeActionEndpoint?: boolean;
}

/** A checked action, or what is wrong with it, to follow its name in a sentence. */
export function compileAction(
  name: string,
  index: number,
  definition: AnyActionDefinition,
  { useUnsafeActionEndpoint = false }: ActionAddressing,
): CompiledAction | string {
  if (typeof definition !== 'object' || definition === null) return 'needs a definition.';
  if (!scopes.includes(definition.scope)) return 'needs a scope: "Single", "Bulk" or "Global".';
  if (typeof definition.execute !== 'function') return 'needs a function "execute".';
  if ((definition.submitButtonLabel ?? '').length > maxLabelLength) {
    return `has a submit button label of more than ${maxLabelLength} characters.`;
  }
  const { form } = definition;
  const problem = form === undefined || typeof form === 'function' ? undefined : formProblem(form);
  if (problem !== undefined) return `has a form that cannot be used: ${problem}`;
  const slug = actionSlug(name);
  return { name, index, slug, address: useUnsafeActionEndpoint ? slug : `${index}/${slug}`, definition };
}

/** The identifier of an action in the schema. */
export function actionId(collection: string, { address }: CompiledAction): string {
  return `${collection}-${address.replace('/', '-')}`;
}

/** The first missing collection that the form of an action picks records from. */
export function actionReferenceProblem(
  model: ModelView,
  declaration: DeclarationOf<'action'>,
): CompileProblem | undefined {
  const form = declaration.definition?.form;
  if (!Array.isArray(form) || formProblem(form) !== undefined) return undefined;
  const { name, collection: owner } = declaration;
  for (const [field, target] of pickedCollections(form)) {
    const fault = pickFault(model, target);
    if (fault === undefined) continue;
    return problemOf(faultOf(`The field "${field}" of the action "${name}" of "${owner}"`, fault), declaration);
  }
  return undefined;
}

function pickedCollections(elements: readonly AnyFormElement[]): readonly (readonly [field: string, target: string])[] {
  return fieldsIn(elements).flatMap((field) => {
    const { type, collectionName } = field;
    return type === 'Collection' && typeof collectionName === 'string'
      ? [[fieldId(field), collectionName] as const]
      : [];
  });
}

function pickFault(model: ModelView, target: string): Fault | undefined {
  const collection = model.collections.get(target);
  if (collection) {
    return collection.primaryKey.length > 0 ? undefined : `picks from "${target}", which has no primary key.`;
  }
  const nearest = nearestName(target, model.collections.keys());
  return new AbsentElement(`picks from "${target}", which does not exist.${didYouMean(nearest)}`);
}

/** `Mark as Paid!` → `mark-as-paid-`. */
export function actionSlug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-');
}
