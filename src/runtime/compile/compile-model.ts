import type { AiSettings } from '../ai/ai-settings.ts';
import type { AgentChart } from '../customizer/chart-definition.ts';
import type { Declaration, DeclarationOnCollection } from '../customizer/declaration.ts';
import type { Mask } from '../customizer/field-definition.ts';
import type { DataSource } from '../data-sources/interface/data-source.ts';
import type { CompiledModel, ModelView } from '../model/compiled-model.ts';
import { publishModel } from '../model/publish-model.ts';
import { addField } from './add-fields.ts';
import { addRule } from './add-rules.ts';
import { type CollectionDrafts, type CustomizedDraft, createDrafts, type Refuse } from './collection-draft.ts';
import type { ActionAddressing } from './compile-action.ts';
import { addChart } from './compile-chart.ts';
import { addMask } from './compile-mask.ts';
import { type CompileProblem, customizationInvalid, problemOf, problemText, unknownName } from './compile-problem.ts';
import { declarationOptionProblem } from './declaration-options.ts';
import { expandFlattened } from './expand-flattened.ts';
import { finishCollections } from './finish-collections.ts';
import { modelProblems } from './model-problems.ts';

/** How declarations are taken. */
export interface CompileOptions extends ActionAddressing {
  /**
   * Gets the text of what is wrong with a declaration that names what the schema does not have, and is left out for it.
   * Default: such a declaration is refused like any other mistake.
   */
  readonly passOver?: ((text: string) => void) | undefined;
}

/**
 * Turn data sources and declarations into the model that requests are planned on. The declarations may come in any
 * order.
 *
 * @throws `CUSTOMIZATION_INVALID`, naming every problem with its place in the code.
 */
export function compileModel(
  dataSources: readonly DataSource[],
  declarations: readonly Declaration[],
  { passOver, ...addressing }: CompileOptions = {},
): CompiledModel {
  const passedOver = new Set<Declaration>();
  for (;;) {
    const { problems, publish } = draftModel(dataSources, declarations, passedOver, addressing);
    const absences = passOver ? problems.filter(({ dispensable }) => dispensable) : [];
    for (const absence of absences) passOver?.(problemText(absence));
    const mistakes = problems.filter((problem) => !absences.includes(problem));
    if (mistakes.length > 0) throw customizationInvalid(mistakes);
    if (absences.length === 0) return publish();
    // Once they are left out, whatever depends on them names absent elements too.
    for (const { dispensable } of absences) if (dispensable) passedOver.add(dispensable);
  }
}

interface DraftModel {
  readonly problems: readonly CompileProblem[];
  /** The model; to be called where there are no problems. */
  publish(): CompiledModel;
}

function draftModel(
  dataSources: readonly DataSource[],
  declarations: readonly Declaration[],
  passedOver: ReadonlySet<Declaration>,
  addressing: ActionAddressing,
): DraftModel {
  const problems: CompileProblem[] = [];
  const refuse: Refuse = (fault, declaration) => problems.push(problemOf(fault, declaration));
  const drafts = createDrafts(dataSources, declarations, problems);
  const charts = new Map<string, AgentChart>();
  const masks = new Map<string, Mask>();
  const known = declarations.filter((declaration): declaration is DeclarationOnCollection => {
    if (declaration.kind === 'ai') return false;
    if (declaration.kind === 'mask') {
      addMask(masks, declaration, (fault) => refuse(fault, declaration));
      return false;
    }
    if (declaration.kind !== 'agent chart') {
      return isOfKnownCollection(drafts, declaration, passedOver.has(declaration) ? undefined : refuse);
    }
    addChart(charts, declaration, 'The agent', (fault) => refuse(fault, declaration));
    return false;
  });
  const taken = passedOver.size === 0 ? known : known.filter((declaration) => !passedOver.has(declaration));
  for (const declaration of taken) {
    const problem = declarationOptionProblem(declaration);
    if (problem !== undefined) refuse(problem, declaration);
  }
  for (const [draft, declaration] of withDrafts(drafts, taken)) addField(draft, declaration, refuse);
  expandFlattened(drafts, taken, refuse);
  for (const [draft, declaration] of withDrafts(drafts, known)) {
    if (!passedOver.has(declaration)) addRule(draft, declaration, refuse, addressing);
    // Its place stays taken, so that the actions after it keep their addresses.
    else if (declaration.kind === 'action') draft.actionCount += 1;
  }
  const original: ModelView = { collections: finishCollections(drafts, refuse) };
  problems.push(...modelProblems(original, drafts, taken), ...publicationProblems(drafts, taken));
  return {
    problems,
    publish: () => publishModel(original, drafts.customized, { charts, masks, ai: aiOf(declarations) }),
  };
}

function aiOf(declarations: readonly Declaration[]): AiSettings | undefined {
  return declarations.find((declaration) => declaration.kind === 'ai')?.settings;
}

function isOfKnownCollection(
  drafts: CollectionDrafts,
  declaration: DeclarationOnCollection,
  refuse: Refuse | undefined,
): boolean {
  const { collection, kind } = declaration;
  if (drafts.has(collection)) return true;
  // Said once for each time the collection is named, not for everything that is declared on it.
  if (kind === 'collection' || kind === 'remove collection') {
    refuse?.(unknownName('There is no collection', collection, drafts.keys()), declaration);
  }
  return false;
}

function* withDrafts(drafts: CollectionDrafts, declarations: readonly DeclarationOnCollection[]) {
  for (const declaration of declarations) {
    const draft = drafts.customized.get(declaration.collection);
    if (draft) yield [draft, declaration] as const;
  }
}

/** New names that other fields have. Two fields may swap theirs. */
function publicationProblems(
  drafts: CollectionDrafts,
  declarations: readonly DeclarationOnCollection[],
): CompileProblem[] {
  return [...drafts.customized.values()].flatMap((draft) =>
    collisions(draft).map(({ name, newName, other }) =>
      problemOf(
        `The field "${name}" of "${draft.name}" cannot be called "${newName}": "${other}" is called so.`,
        declarations.find(
          (declaration) =>
            declaration.kind === 'rename field' &&
            declaration.collection === draft.name &&
            declaration.newName === newName,
        ),
      ),
    ),
  );
}

function collisions(draft: CustomizedDraft) {
  if (draft.renames.size === 0) return [];
  const found: { readonly name: string; readonly newName: string; readonly other: string }[] = [];
  const shownName = (name: string) => draft.renames.get(name) ?? name;
  const shown = [...draft.fields.keys()].filter((name) => !draft.removedFields.has(name));
  for (const [name, newName] of draft.renames) {
    const other = shown.find((candidate) => candidate !== name && shownName(candidate) === newName);
    if (other !== undefined && shown.includes(name)) found.push({ name, newName, other });
  }
  return found;
}
