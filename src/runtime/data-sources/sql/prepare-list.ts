import { closeCondition } from '../../query/condition-template.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { Operator } from '../../query/operators.ts';
import { createPlanCache } from '../../query/plan-cache.ts';
import type { Page } from '../../query/record-query.ts';
import type { DeletedChoice, ListTemplate, PreparedList } from '../interface/data-source.ts';
import { bindParameters } from './binding.ts';
import type { CompiledRead } from './compile-statements.ts';
import type { SqlRunner } from './sql-engine.ts';
import type { SqlStatements } from './sql-statements.ts';

/** Texts of one list: they differ where a value is null, for instance, and by how deep a page lies. */
const maxTexts = 50;

/** A prepared list. Its statement depends on the values and the page only where they change its text, which is rare. */
export function prepareList(
  runner: SqlRunner,
  statements: SqlStatements,
  { collection, projection, where, sort }: ListTemplate,
): PreparedList {
  const { variantOf, looksIntoValue, paging } = statements.dialect;
  const leaves = (where ? operatorsOf(where.tree) : []).map((operator) => ({
    operator,
    looksInto: looksIntoValue?.(operator) ?? true,
  }));
  const plans = createPlanCache<CompiledRead>(maxTexts);

  function planFor(values: readonly unknown[], page: Page | undefined, shown: DeletedChoice | undefined): CompiledRead {
    let variant = shown ?? '';
    variant += page ? (paging.keyOf?.(page) ?? 'page') : '';
    leaves.forEach(({ operator, looksInto }, index) => {
      const value = values[index];
      const isSimple = typeof value !== 'object' && value !== undefined && !looksInto;
      variant += isSimple ? ' ' : ` ${variantOf(operator, value)}`;
    });
    return plans.memo(variant, {
      context: () => {
        const condition = where && closeCondition(where, values);
        return statements.list({ collection, projection, where: condition, sort, page }, shown).plan;
      },
    });
  }

  return async (values, page, context) => {
    const plan = planFor(values, page, context.deleted);
    const rows = await runner.read(plan.sql, bindParameters(plan.parameters, values, context, page), context);
    return rows.map(plan.read);
  };
}

function operatorsOf(tree: ConditionTree): readonly Operator[] {
  return isBranch(tree) ? tree.conditions.flatMap(operatorsOf) : [tree.operator];
}
