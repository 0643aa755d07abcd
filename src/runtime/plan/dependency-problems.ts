import { isCloudError } from '#kernel/errors/cloud-error';
import type { Declaration } from '../customizer/declaration.ts';
import type { CompileProblem } from './compile-problem.ts';
import type { CompiledCollection, CompiledModel, ComputedField } from './compiled-model.ts';
import { resolvePath } from './field-path.ts';

/** What is wrong with what computed fields depend on: names that are not there, and cycles, each named once. */
export function dependencyProblems(model: CompiledModel, declarations: readonly Declaration[]): CompileProblem[] {
  const problems: CompileProblem[] = [];
  const state = new Map<ComputedField, 'open' | 'done'>();
  const locations = locationsOf(declarations);

  function visit(collection: CompiledCollection, field: ComputedField, chain: readonly string[]): void {
    const name = `${collection.name}.${field.name}`;
    if (state.get(field) === 'done') return;
    if (state.get(field) === 'open') {
      const cycle = [...chain.slice(chain.indexOf(name)), name];
      problems.push({
        message: `Computed fields depend on one another in a circle: ${cycle.join(' → ')}.`,
        location: locations.get(name),
      });
      return;
    }
    state.set(field, 'open');
    for (const path of field.dependencies) {
      const problem = follow(collection, path, [...chain, name]);
      if (problem !== undefined) {
        problems.push({
          message: `The field "${field.name}" of "${collection.name}" depends on "${path}": ${problem}`,
          location: locations.get(name),
        });
      }
    }
    state.set(field, 'done');
  }

  function follow(collection: CompiledCollection, path: string, chain: readonly string[]): string | undefined {
    try {
      const target = resolvePath(model, collection, path);
      if (target.field.kind === 'computed') visit(target.collection, target.field, chain);
      return undefined;
    } catch (error) {
      if (isCloudError(error) && error.code.startsWith('REQUEST_')) return error.message;
      throw error;
    }
  }

  for (const collection of model.collections.values()) {
    for (const field of collection.fields.values()) {
      if (field.kind === 'computed') visit(collection, field, []);
    }
  }
  return problems;
}

function locationsOf(declarations: readonly Declaration[]): Map<string, CompileProblem['location']> {
  return new Map(
    declarations.flatMap((declaration) =>
      declaration.kind === 'field' ? [[`${declaration.collection}.${declaration.name}`, declaration.location]] : [],
    ),
  );
}
