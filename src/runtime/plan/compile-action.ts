import type { ActionDefinition } from '../customizer/action-definition.ts';
import type { CompiledAction } from './compiled-model.ts';

const scopes: readonly unknown[] = ['Single', 'Bulk', 'Global'] satisfies ActionDefinition['scope'][];
const maxLabelLength = 50;

/** A checked action, or what is wrong with it, to follow its name in a sentence. */
export function compileAction(name: string, index: number, definition: ActionDefinition): CompiledAction | string {
  if (typeof definition !== 'object' || definition === null) return 'needs a definition.';
  if (!scopes.includes(definition.scope)) return 'needs a scope: "Single", "Bulk" or "Global".';
  if (typeof definition.execute !== 'function') return 'needs a function "execute".';
  if ((definition.submitButtonLabel ?? '').length > maxLabelLength) {
    return `has a submit button label of more than ${maxLabelLength} characters.`;
  }
  return { name, index, slug: actionSlug(name), definition };
}

export function actionKey(action: CompiledAction): string {
  return `${action.index}/${action.slug}`;
}

/** `Mark as Paid!` → `mark-as-paid-`. */
function actionSlug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-');
}
