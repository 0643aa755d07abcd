import type { SourceLocation } from '#kernel/errors/cloud-error';
import type { ActionDefinition } from './action-definition.ts';
import type { SegmentDefinition } from './collection-customizer.ts';
import type { AnyFieldDefinition } from './field-definition.ts';

interface DeclarationBase {
  readonly collection: string;
  /** Where it stands in the user's code; absent when the stack does not tell. */
  readonly location?: SourceLocation;
}

/** One call of the customization code, kept until the model is compiled. */
export type Declaration =
  | (DeclarationBase & { readonly kind: 'collection' })
  | (DeclarationBase & { readonly kind: 'field'; readonly name: string; readonly definition: AnyFieldDefinition })
  | (DeclarationBase & { readonly kind: 'segment'; readonly name: string; readonly definition: SegmentDefinition })
  | (DeclarationBase & { readonly kind: 'action'; readonly name: string; readonly definition: ActionDefinition });
