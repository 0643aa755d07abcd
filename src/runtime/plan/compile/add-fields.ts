import type { SourceLocation } from '#kernel/errors/cloud-error';
import type { DeclarationOnCollection } from '../../customizer/declaration.ts';
import { compileComputedField } from '../compile-computed-field.ts';
import { compileExternalRelation } from '../compile-external-relation.ts';
import { type CollectionDraft, type FieldDraft, kindInWords, type Refuse } from './collection-draft.ts';

/** Add the field that a declaration makes, if it makes one. No name is taken twice, and none is silently replaced. */
export function addField(draft: CollectionDraft, declaration: DeclarationOnCollection, refuse: Refuse): void {
  const { location } = declaration;
  const field = fieldOf(draft, declaration, location);
  if (field === undefined) return;
  if (typeof field === 'string') refuse(field, location);
  else if (draft.fields.has(field.name)) {
    const taken = draft.fields.get(field.name);
    refuse(`"${draft.name}" has a ${taken ? kindInWords(taken) : 'field'} "${field.name}" already.`, location);
  } else draft.fields.set(field.name, field);
}

/** The field, or what is wrong with it; nothing when the declaration makes none. */
function fieldOf(
  draft: CollectionDraft,
  declaration: DeclarationOnCollection,
  location: SourceLocation | undefined,
): FieldDraft | string | undefined {
  switch (declaration.kind) {
    case 'field':
    case 'external relation':
    case 'relation':
    case 'import':
      break;
    default:
      return undefined;
  }
  const { kind, name } = declaration;
  const subject = `The ${kind} "${name}" of "${draft.name}"`;
  if (typeof name !== 'string' || name.trim() === '') return `A ${kind} of "${draft.name}" needs a name.`;
  if (/[\s:]/.test(name)) return `${subject} has a space or a colon in its name.`;
  switch (declaration.kind) {
    case 'field': {
      const compiled = compileComputedField(name, declaration.definition);
      return typeof compiled === 'string' ? `${subject} ${compiled}` : compiled;
    }
    case 'external relation': {
      const compiled = compileExternalRelation(name, declaration.definition, draft.native.primaryKey);
      return typeof compiled === 'string' ? `${subject} ${compiled}` : compiled;
    }
    case 'relation':
      return { kind: 'declared relation', name, definition: declaration.definition, location };
    case 'import':
      return { kind: 'import', name, definition: declaration.definition, location };
  }
}
