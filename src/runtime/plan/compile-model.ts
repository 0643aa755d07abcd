import type { AgentChart } from '../customizer/chart-definition.ts';
import type { Declaration, DeclarationOnCollection } from '../customizer/declaration.ts';
import type { DataSource } from '../data-sources/data-source.ts';
import { addField } from './compile/add-fields.ts';
import { addRule } from './compile/add-rules.ts';
import { type CollectionDrafts, createDrafts, type Refuse, unknownName } from './compile/collection-draft.ts';
import { expandFlattened } from './compile/expand-flattened.ts';
import { finishCollections } from './compile/finish-collections.ts';
import { modelProblems } from './compile/model-problems.ts';
import { publicationProblems } from './compile/publication-problems.ts';
import type { ActionAddressing } from './compile-action.ts';
import { addChart } from './compile-chart.ts';
import { type CompileProblem, customizationInvalid } from './compile-problem.ts';
import type { CompiledModel, ModelView } from './compiled-model.ts';
import { publishModel } from './publish-model.ts';

/**
 * Turn data sources and declarations into the model that requests are planned on. The declarations may come in any
 * order.
 *
 * @throws `CUSTOMIZATION_INVALID`, naming every problem with its place in the code.
 */
export function compileModel(
  dataSources: readonly DataSource[],
  declarations: readonly Declaration[],
  addressing: ActionAddressing = {},
): CompiledModel {
  const problems: CompileProblem[] = [];
  const refuse: Refuse = (message, location) => problems.push({ message, location });
  const drafts = createDrafts(dataSources, problems);
  const charts = new Map<string, AgentChart>();
  const known = declarations.filter((declaration): declaration is DeclarationOnCollection => {
    if (declaration.kind !== 'agent chart') return isOfKnownCollection(drafts, declaration, refuse);
    addChart(charts, declaration, 'The agent', refuse);
    return false;
  });
  for (const [draft, declaration] of withDrafts(drafts, known)) addField(draft, declaration, refuse);
  expandFlattened(drafts, withDrafts(drafts, known), refuse);
  for (const [draft, declaration] of withDrafts(drafts, known)) addRule(draft, declaration, refuse, addressing);
  const original: ModelView = { collections: finishCollections(drafts, refuse) };
  problems.push(...modelProblems(original, drafts, known), ...publicationProblems(drafts, known));
  if (problems.length > 0) throw customizationInvalid(problems);
  return publishModel(original, drafts, charts);
}

function isOfKnownCollection(drafts: CollectionDrafts, declaration: DeclarationOnCollection, refuse: Refuse): boolean {
  const { collection, kind, location } = declaration;
  if (drafts.has(collection)) return true;
  // Said once for each time the collection is named, not for everything that is declared on it.
  if (kind === 'collection' || kind === 'remove collection') {
    refuse(unknownName('There is no collection', collection, drafts.keys()), location);
  }
  return false;
}

function withDrafts(drafts: CollectionDrafts, declarations: readonly DeclarationOnCollection[]) {
  return declarations.flatMap((declaration) => {
    const draft = drafts.get(declaration.collection);
    return draft ? [[draft, declaration] as const] : [];
  });
}
