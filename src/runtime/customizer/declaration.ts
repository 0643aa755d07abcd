import type { SourceLocation } from '#kernel/errors/cloud-error';
import type { AnyActionDefinition } from './action-definition.ts';
import type { AgentChart, CollectionChart } from './chart-definition.ts';
import type { SegmentDefinition } from './collection-customizer.ts';
import type { AnyFieldDefinition } from './field-definition.ts';

interface DeclarationBase {
  readonly collection: string;
  /** Where it stands in the user's code; absent when the stack does not tell. */
  readonly location?: SourceLocation;
}

/** A chart of the agent, which belongs to no collection. */
export interface AgentChartDeclaration extends Pick<DeclarationBase, 'location'> {
  readonly kind: 'agent-chart';
  readonly name: string;
  readonly definition: AgentChart;
}

/** One call of the customization code, kept until the model is compiled. */
export type Declaration = CollectionDeclaration | AgentChartDeclaration;

/** One that belongs to a collection. */
export type CollectionDeclaration =
  | (DeclarationBase & { readonly kind: 'collection' })
  | (DeclarationBase & { readonly kind: 'field'; readonly name: string; readonly definition: AnyFieldDefinition })
  | (DeclarationBase & { readonly kind: 'segment'; readonly name: string; readonly definition: SegmentDefinition })
  | (DeclarationBase & { readonly kind: 'action'; readonly name: string; readonly definition: AnyActionDefinition })
  | (DeclarationBase & { readonly kind: 'chart'; readonly name: string; readonly definition: CollectionChart });
