import type { ConditionTree } from '../../query/condition-tree.ts';
import { intersect } from '../read/record-filter.ts';
import { relatedCondition, type ToManyRelation } from '../read/related-condition.ts';
import type { RelationEnd } from '../request/link-service.ts';
import { readInput, type UnreadLater } from '../request/unread-input.ts';
import { type LinkCall, type LinkEnds, linkEnds } from './link-ends.ts';

export const toMany = ['OneToMany', 'ManyToMany'] as const;
export const toOne = ['ManyToOne', 'OneToOne'] as const;

export interface RelatedSelection {
  readonly ends: LinkEnds;
  readonly relation: ToManyRelation;
  /** The condition of the selected records, in original names. */
  readonly meant: ConditionTree | undefined;
}

/** The records that a relation to many leads to and that fulfil `where`, as far as the caller may reach them. */
export async function relatedSelection(
  link: LinkCall,
  end: RelationEnd,
  where: UnreadLater<ConditionTree | undefined>,
): Promise<RelatedSelection> {
  const { reader, context } = link;
  const asked = await readInput(where);
  const ends = await linkEnds(link, end, toMany);
  const relation = ends.relation as ToManyRelation;
  const selected = await reader.filterOf(ends.foreign, { where: asked }, context);
  const related = await relatedCondition(reader.engine, relation, ends.owner, ends.parent, context);
  return { ends, relation, meant: intersect([related, selected]) };
}
