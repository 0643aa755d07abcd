import type { DeclarationOnCollection } from '../customizer/declaration.ts';
import { type CompiledCollection, type ComputedField, isValueField, type ModelView } from '../model/compiled-model.ts';
import { resolveSource } from '../model/field-path.ts';
import { type CollectionDrafts, customizedOf } from './collection-draft.ts';
import { type CompileProblem, faultOf, problemOf, requestFault } from './compile-problem.ts';

/** The problems of computed fields' dependencies: unknown names, and cycles, each named once. */
export function dependencyProblems(
  model: ModelView,
  drafts: CollectionDrafts,
  declarations: readonly DeclarationOnCollection[],
): CompileProblem[] {
  const problems: CompileProblem[] = [];
  const state = new Map<ComputedField, 'open' | 'done'>();
  const byField = declarationsByField(declarations);

  function visit(collection: CompiledCollection, field: ComputedField, chain: readonly string[]): void {
    const name = `${collection.name}.${field.name}`;
    if (state.get(field) === 'done') return;
    if (state.get(field) === 'open') {
      const cycle = [...chain.slice(chain.indexOf(name)), name];
      const message = `Computed fields depend on one another in a circle: ${cycle.join(' → ')}.`;
      problems.push(problemOf(message, byField.get(name)));
      return;
    }
    state.set(field, 'open');
    for (const path of field.dependencies) {
      const fault = requestFault(() => follow(collection, path, [...chain, name]));
      if (fault === undefined) continue;
      const subject = `The field "${field.name}" of "${collection.name}" depends on "${path}":`;
      problems.push(problemOf(faultOf(subject, fault), byField.get(name)));
    }
    state.set(field, 'done');
  }

  /** A path depends on the field it ends in, and on the keys of the relations it goes through. */
  function follow(root: CompiledCollection, path: string, chain: readonly string[]): void {
    const source = resolveSource(model, root, path);
    if (source.field.kind === 'computed') visit(source.collection, source.field, chain);
    let current = root;
    for (const step of source.path.split(':').slice(0, -1)) {
      const relation = current.fields.get(step);
      if (!relation || isValueField(relation) || relation.kind === 'ManyToMany') return;
      const foreign = model.collections.get(relation.foreignCollection);
      for (const pair of relation.join) {
        visitKey(current, pair.local, chain);
        if (foreign) visitKey(foreign, pair.foreign, chain);
      }
      if (!foreign) return;
      current = foreign;
    }
  }

  function visitKey(collection: CompiledCollection, name: string, chain: readonly string[]): void {
    const key = collection.fields.get(name);
    if (key?.kind === 'computed') visit(collection, key, chain);
    else if (key?.kind === 'imported') follow(collection, key.path, chain);
  }

  for (const collection of customizedOf(model, drafts)) {
    for (const field of collection.fields.values()) {
      if (field.kind === 'computed') visit(collection, field, []);
    }
  }
  return problems;
}

function declarationsByField(declarations: readonly DeclarationOnCollection[]): Map<string, DeclarationOnCollection> {
  return new Map(
    declarations.flatMap((declaration) =>
      declaration.kind === 'field' || declaration.kind === 'external relation'
        ? [[`${declaration.collection}.${declaration.name}`, declaration]]
        : [],
    ),
  );
}
