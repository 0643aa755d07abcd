import type { DataSource } from '../data-sources/interface/data-source.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../query/condition-tree.ts';
import { expressionConditions } from '../query/expression.ts';
import { isBoundedByTime } from '../query/text-pattern.ts';
import { type CompiledCollection, isValueField, type ModelView } from './compiled-model.ts';

const why = 'may take long: it looks around, refers back, or ignores case with \\w or \\b';
const inAgent = 'Where the agent evaluates it, it gets 100 ms for a text.';

/** The patterns in the code of a project that are stopped when their time is up, in sentences. */
export function patternWarnings({ collections }: ModelView): readonly string[] {
  return [...collections.values()].flatMap((collection) => {
    const { name, fields, validations, segments } = collection;
    return [
      ...[...validations].flatMap(([field, rules]) =>
        rules.flatMap((rule) => warningsIn(`the validation of "${field}" of "${name}"`, { field, ...rule })),
      ),
      ...[...segments].flatMap(([segment, definition]) =>
        typeof definition === 'function' ? [] : warningsIn(`the segment "${segment}" of "${name}"`, definition),
      ),
      ...[...fields.values()].filter(isValueField).flatMap((field) => {
        const expression = 'expression' in field ? field.expression : undefined;
        return (expression ? expressionConditions(expression) : []).flatMap((condition) =>
          warningsIn(`the field "${field.name}" of "${name}"`, condition),
        );
      }),
    ];
  });
}

function warningsIn(place: string, tree: ConditionTree): readonly string[] {
  return leavesWithSlowPattern(tree).map(({ value }) => {
    const pattern = value instanceof RegExp ? value : new RegExp(String(value), 'u');
    return `The pattern ${pattern} in ${place} ${why}. ${inAgent}`;
  });
}

/** The patterns in the checks of tables that are stopped when their time is up, in sentences. This asks the databases. */
export async function patternsOfChecks(sources: readonly DataSource[]): Promise<readonly string[]> {
  const found = await Promise.all(sources.map(async (source) => [...((await source.rules?.()) ?? [])]));
  return found
    .flat()
    .flatMap(([collection, { checks }]) =>
      checks.flatMap(({ text, columns, patterns }) =>
        patterns
          .filter(isBoundedByTime)
          .map(
            (pattern) =>
              `The pattern ${pattern} in the check of ${columns.map((column) => `"${column}"`).join(' and ')} of ` +
              `"${collection}" (${text}) ${why}. \`data seed\` gives it 100 ms for a text; the database has no such limit.`,
          ),
      ),
    );
}

/** Tells of each field once. */
export type SlowPatternWarning = (collection: CompiledCollection, tree: ConditionTree | undefined) => void;

/**
 * Warns of patterns that handlers make while they run. A warning has no pattern: it may be made of what somebody typed.
 */
export function createSlowPatternWarning(warn: (message: string) => void): SlowPatternWarning {
  const told = new Set<string>();
  return ({ name }, tree) => {
    for (const { field } of tree ? leavesWithSlowPattern(tree) : []) {
      const place = JSON.stringify([name, field]);
      if (told.has(place)) continue;
      told.add(place);
      warn(`A pattern that code compares "${field}" of "${name}" with ${why}. ${inAgent}`);
    }
  };
}

function leavesWithSlowPattern(tree: ConditionTree): readonly ConditionLeaf[] {
  if (isBranch(tree)) return tree.conditions.flatMap(leavesWithSlowPattern);
  const { operator, value } = tree;
  if (operator !== 'Match' || (typeof value !== 'string' && !(value instanceof RegExp))) return [];
  return isBoundedByTime(typeof value === 'string' ? new RegExp(value, 'u') : value) ? [tree] : [];
}
