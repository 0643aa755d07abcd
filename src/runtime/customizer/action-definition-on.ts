import type { ActionContext, ActionDefinition } from './action-definition.ts';
import type { CollectionName, FieldPath, RecordOf, SchemaShape } from './schema-types.ts';

/** An action context that knows the fields of its collection. */
export interface ActionContextOn<S extends SchemaShape<S>, C extends CollectionName<S>>
  extends Omit<ActionContext, 'getRecords' | 'getRecord'> {
  /** The selected records with `fields`; empty for a Global action. */
  getRecords<P extends FieldPath<S, C>>(fields: readonly P[]): Promise<RecordOf<S, C, P>[]>;
  /** Single actions only. */
  getRecord<P extends FieldPath<S, C>>(fields: readonly P[]): Promise<RecordOf<S, C, P>>;
}

export interface ActionDefinitionOn<S extends SchemaShape<S>, C extends CollectionName<S>>
  extends Omit<ActionDefinition, 'execute'> {
  execute(
    context: ActionContextOn<S, C>,
    resultBuilder: Parameters<ActionDefinition['execute']>[1],
  ): ReturnType<ActionDefinition['execute']>;
}
