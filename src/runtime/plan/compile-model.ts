import { nearestName } from '#kernel/text/nearest-name';
import type { AgentChart, CollectionChart } from '../customizer/chart-definition.ts';
import type { SegmentDefinition } from '../customizer/collection-customizer.ts';
import type { CollectionDeclaration, Declaration } from '../customizer/declaration.ts';
import type { CollectionSchema } from '../data-sources/collection-schema.ts';
import type { DataSource } from '../data-sources/data-source.ts';
import { actionKey, actionReferenceProblem, compileAction } from './compile-action.ts';
import { addChart } from './compile-chart.ts';
import { compileComputedField } from './compile-computed-field.ts';
import { type CompileProblem, customizationInvalid } from './compile-problem.ts';
import type { CompiledAction, CompiledCollection, CompiledField, CompiledModel } from './compiled-model.ts';
import { dependencyProblems } from './dependency-problems.ts';
import { segmentProblem } from './segment-problem.ts';

interface Draft {
  readonly dataSource: DataSource;
  readonly native: CollectionSchema;
  readonly fields: Map<string, CompiledField>;
  readonly segments: Map<string, SegmentDefinition>;
  readonly actions: Map<string, CompiledAction>;
  readonly charts: Map<string, CollectionChart>;
}

const searchableTypes: ReadonlySet<unknown> = new Set(['String', 'Number', 'Uuid', 'Enum']);

/**
 * Turn data sources and declarations into the model that requests are planned on. The declarations may come in any
 * order.
 *
 * @throws `CUSTOMIZATION_INVALID`, naming every problem with its place in the code.
 */
export function compileModel(dataSources: readonly DataSource[], declarations: readonly Declaration[]): CompiledModel {
  const problems: CompileProblem[] = [];
  const drafts = draftsOf(dataSources, problems);
  const charts = new Map<string, AgentChart>();
  for (const declaration of declarations) {
    if (declaration.kind === 'agent-chart') {
      addChart(charts, declaration, 'The agent', problems);
      continue;
    }
    const draft = drafts.get(declaration.collection);
    if (draft) addDeclaration(draft, declaration, problems);
    else if (declaration.kind === 'collection') problems.push(unknownCollection(declaration, drafts.keys()));
  }
  const collections = new Map([...drafts].map(([name, draft]) => [name, finish(draft)]));
  const model: CompiledModel = { collections, charts };
  problems.push(...dependencyProblems(model, declarations));
  for (const declaration of declarations) {
    const problem =
      declaration.kind === 'segment' ? segmentProblem(model, declaration) : actionReferenceProblem(model, declaration);
    if (problem) problems.push(problem);
  }
  if (problems.length > 0) throw customizationInvalid(problems);
  return model;
}

function draftsOf(dataSources: readonly DataSource[], problems: CompileProblem[]): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  for (const dataSource of dataSources) {
    for (const native of dataSource.collections) {
      if (drafts.has(native.name)) {
        problems.push({ message: `Two data sources have a collection "${native.name}".` });
        continue;
      }
      drafts.set(native.name, {
        dataSource,
        native,
        fields: new Map(native.fields),
        segments: new Map(),
        actions: new Map(),
        charts: new Map(),
      });
    }
  }
  return drafts;
}

function addDeclaration(draft: Draft, declaration: CollectionDeclaration, problems: CompileProblem[]): void {
  if (declaration.kind === 'collection') return;
  const { name, location } = declaration;
  const refuse = (message: string) => problems.push({ message, location });
  const owner = draft.native.name;
  if (typeof name !== 'string' || name.trim() === '') {
    refuse(`A ${declaration.kind} of "${owner}" needs a name.`);
  } else if (declaration.kind === 'field') {
    const taken = draft.fields.get(name);
    const compiled = compileComputedField(name, declaration.definition);
    if (taken) refuse(`"${owner}" has a ${nameOfKind(taken)} "${name}" already.`);
    else if (typeof compiled === 'string') refuse(`The field "${name}" of "${owner}" ${compiled}`);
    else draft.fields.set(name, compiled);
  } else if (declaration.kind === 'segment') {
    if (draft.segments.has(name)) refuse(`"${owner}" has a segment "${name}" already.`);
    else draft.segments.set(name, declaration.definition);
  } else if (declaration.kind === 'chart') {
    addChart(draft.charts, declaration, `"${owner}"`, problems);
  } else {
    const isTaken = [...draft.actions.values()].some((action) => action.name === name);
    const compiled = compileAction(name, draft.actions.size, declaration.definition);
    if (isTaken) refuse(`"${owner}" has an action "${name}" already.`);
    else if (typeof compiled === 'string') refuse(`The action "${name}" of "${owner}" ${compiled}`);
    else draft.actions.set(actionKey(compiled), compiled);
  }
}

function nameOfKind(field: CompiledField): string {
  return field.kind === 'column' ? 'column' : field.kind === 'computed' ? 'computed field' : 'relation';
}

function finish(draft: Draft): CompiledCollection {
  const { native, dataSource, fields, segments, actions, charts } = draft;
  const isSearchable = [...native.fields.values()].some(
    (field) => field.kind === 'column' && searchableTypes.has(field.type),
  );
  const { name, isReadOnly, primaryKey } = native;
  return { name, dataSource, native, isReadOnly, isSearchable, primaryKey, fields, segments, actions, charts };
}

function unknownCollection(declaration: CollectionDeclaration, known: Iterable<string>): CompileProblem {
  const nearest = nearestName(declaration.collection, known);
  return {
    message: `There is no collection "${declaration.collection}".${nearest ? ` Did you mean "${nearest}"?` : ''}`,
    location: declaration.location,
  };
}
