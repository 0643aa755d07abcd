import { type CompiledCollection, relationNamed } from '../../../model/compiled-model.ts';
import { unpackId } from '../../../model/record-id.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import { PathUnknown, type RouteCall } from './route.ts';

/** The relation that a path `/<collection>/<id>/relationships/<relation>` names, and the collection behind it. */
export interface RelatedEnd {
  readonly foreign: CompiledCollection;
  /** The id is read after the right is known, because it may be invalid. */
  readonly end: RelationEnd;
}

const toMany = ['OneToMany', 'ManyToMany'] as const;
const toOne = ['ManyToOne', 'OneToOne'] as const;

/** A path with another kind of relation, or none, names nothing. */
export function relatedEnd(call: RouteCall, kind: 'to many' | 'to one'): RelatedEnd {
  const { params, state } = call;
  const collection = call.collection();
  const relation = params['relation'] ?? '';
  const field = collection.fields.get(relation);
  const kinds: readonly string[] = kind === 'to many' ? toMany : toOne;
  if (!field || !kinds.includes(field.kind)) throw new PathUnknown();
  const { foreign } = relationNamed(state.model, collection.name, relation, kind === 'to many' ? toMany : toOne);
  return {
    foreign,
    end: { collection: collection.name, id: () => unpackId(collection, params['id']), relation },
  };
}
