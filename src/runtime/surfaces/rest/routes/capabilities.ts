import { invalidRequest } from '#kernel/errors/request-errors';
import { keyToGroupBy } from '../../../charts/aggregate-chart.ts';
import { type CompiledCollection, type CompiledField, columnOf, isValueField } from '../../../model/compiled-model.ts';
import { dateBuckets } from '../../../query/aggregation.ts';
import type { ColumnType } from '../../../query/column-type.ts';
import { isListType, operatorsOfRequests, operatorToWire } from '../../../query/operators.ts';
import { nativeConnections } from '../../../records/read/run-native-query.ts';
import { memberOf } from '../../request/request-bodies.ts';
import type { Route } from '../call/route.ts';

/** Facts that clients need before they build a query: the operators of fields, and the fields to group by. */
export const capabilitiesRoute: Route = {
  method: 'POST',
  path: '/_internal/capabilities',
  isReading: true,
  answer: async ({ body, state }) => {
    const { collections } = state.model;
    const names = memberOf(body, 'collectionNames') ?? [];
    if (!Array.isArray(names))
      throw invalidRequest('"collectionNames" must be a list.', 'Send the names of collections.');
    return {
      status: 200,
      body: {
        nativeQueryConnections: nativeConnections(state.model).map((name) => ({ name })),
        agentCapabilities: {
          canUseProjectionOnGetOne: true,
          canUseProjectionViaHeader: true,
          canUseProjectionViaHeaderOnList: true,
          canUseMultipleFieldsProjectionOnRelation: true,
          canUseAuditTrail: false,
        },
        collections: [...collections.values()].filter(({ name }) => names.includes(name)).map(capabilitiesOf),
      },
    };
  },
};

interface FieldCapabilities {
  readonly name: string;
  readonly type: ColumnType | 'ManyToOne';
  readonly operators?: readonly string[];
  readonly isGroupable: boolean;
}

function capabilitiesOf(collection: CompiledCollection) {
  const fields = [...collection.fields.values()].flatMap((field) => fieldCapabilities(collection, field) ?? []);
  return {
    name: collection.name,
    fields,
    actions: [...collection.actions.values()].map(({ name, address, definition }) => ({
      name,
      scope: definition.scope,
      path: `/_actions/${collection.name}/${address}`,
    })),
    charts: [...collection.charts.keys()],
    aggregationCapabilities: {
      supportGroups: fields.some(({ isGroupable }) => isGroupable),
      supportedDateOperations: dateBuckets,
    },
  };
}

function fieldCapabilities(collection: CompiledCollection, field: CompiledField): FieldCapabilities | undefined {
  if (!isValueField(field)) {
    const { name, kind } = field;
    if (kind !== 'ManyToOne') return undefined;
    return { name, type: kind, isGroupable: keyToGroupBy(collection, name) !== undefined };
  }
  const column = columnOf(field);
  const { name, type, isGroupable } = column;
  const isPlain = typeof type === 'string' || (isListType(type) && typeof type[0] === 'string');
  return isPlain ? { name, type, operators: operatorsOfRequests(column).map(operatorToWire), isGroupable } : undefined;
}
