import { OperationNodeTransformer, type ValueNode } from 'kysely';
import type { BindContext, Slot } from './binding.ts';
import type { Sql } from './sql-dialect.ts';

/** SQL whose slots take `values` instead of those of the query: the conditions of an expression have values of their own. */
export function withBoundConstants(sql: Sql, values: readonly unknown[]): Sql {
  const contexts = new WeakMap<BindContext, BindContext>();
  const contextOf = (context: BindContext): BindContext => {
    const known = contexts.get(context) ?? { ...context, values };
    contexts.set(context, known);
    return known;
  };
  const bound = new ConstantBinder(contextOf).transformNode(sql.toOperationNode());
  return Object.assign(Object.create(sql), { toOperationNode: () => bound }) as Sql;
}

class ConstantBinder extends OperationNodeTransformer {
  readonly #contextOf: (context: BindContext) => BindContext;

  constructor(contextOf: (context: BindContext) => BindContext) {
    super();
    this.#contextOf = contextOf;
  }

  protected override transformValue(node: ValueNode): ValueNode {
    // A literal, which is written as it is.
    if (node.immediate) return node;
    const { bind } = node.value as Slot;
    return { ...node, value: { bind: (context) => bind(this.#contextOf(context)) } satisfies Slot };
  }
}
