import type { Tone } from '#contracts/visible-schema';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import type { AiSettings } from '../ai/ai-settings.ts';
import type { ColumnType } from '../query/column-type.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { Operator } from '../query/operators.ts';
import type { SortClause } from '../query/record-query.ts';
import type { AnyActionDefinition } from './action-definition.ts';
import type { AgentChart, CollectionChart } from './chart-definition.ts';
import type { CustomizationContext } from './customization-context.ts';
import type { AnyFieldDefinition, ExpressionFieldDefinition, Mask } from './field-definition.ts';
import type { AnyHookHandler, HookPosition, HookType } from './hook-definition.ts';
import type { OperatorHandler, SearchHandler } from './query-definition.ts';
import type { ExternalRelationDefinition, RelationDefinition } from './relation-definition.ts';
import type { OverrideHandlers, WriteHandler } from './write-definition.ts';

export type BinaryMode = 'datauri' | 'hex';

export interface ImportDefinition {
  /** The path of the field: `relation:field`. */
  readonly path: string;
  /** Default: as the field that is imported. */
  readonly readonly?: boolean | undefined;
}

/** The thing that is flattened: a JSON document, a structured column, or a related record. */
export type FlattenForm = 'document' | 'structure' | 'relation';

export interface FlattenOptions {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** How deep objects are taken apart. */
  readonly level?: number | undefined;
  /** Default: as what is taken apart. */
  readonly readonly?: boolean | undefined;
  /** The types of what is inside, by name. */
  readonly columnType?: ColumnType | undefined;
  /** Whether a document is published itself as well. */
  readonly keepOriginalColumn?: boolean | undefined;
}

/** One call of a customization method on a collection; `name` is its field or other subject. */
export type CollectionDeclaration =
  | {
      readonly kind: 'field';
      readonly name: string;
      readonly definition: AnyFieldDefinition | ExpressionFieldDefinition;
    }
  | { readonly kind: 'import'; readonly name: string; readonly definition: ImportDefinition }
  | {
      readonly kind: 'flatten';
      /** The column or the relation whose parts become fields. */
      readonly name: string;
      readonly form: FlattenForm;
      readonly options: FlattenOptions;
    }
  | { readonly kind: 'relation'; readonly name: string; readonly definition: RelationDefinition }
  | { readonly kind: 'external relation'; readonly name: string; readonly definition: ExternalRelationDefinition }
  | { readonly kind: 'segment'; readonly name: string; readonly definition: SegmentDefinition }
  /** What an action that a plugin makes reads of its records; `name` is that of the action. */
  | { readonly kind: 'fields of an action'; readonly name: string; readonly paths: readonly string[] }
  /** The texts of a field that a plugin makes are files: data URIs, or addresses of files. */
  | { readonly kind: 'field of files'; readonly name: string }
  | { readonly kind: 'action'; readonly name: string; readonly definition: AnyActionDefinition }
  | { readonly kind: 'chart'; readonly name: string; readonly definition: CollectionChart }
  | { readonly kind: 'rename field'; readonly name: string; readonly newName: string }
  | { readonly kind: 'remove field'; readonly name: string }
  | { readonly kind: 'validation'; readonly name: string; readonly operator: Operator; readonly value: unknown }
  | { readonly kind: 'nullable field'; readonly name: string }
  | { readonly kind: 'field writing'; readonly name: string; readonly handler: WriteHandler }
  | { readonly kind: 'binary mode'; readonly name: string; readonly mode: BinaryMode }
  | { readonly kind: 'tone'; readonly name: string; readonly tones: Readonly<Record<string, Tone | undefined>> }
  /** Whoever may not know what the field is made of sees it all the same. */
  | { readonly kind: 'shown field'; readonly name: string; readonly reason: string }
  /** People outside can write it. */
  | { readonly kind: 'untrusted field'; readonly name: string }
  | { readonly kind: 'trusted field'; readonly name: string; readonly reason: string }
  | { readonly kind: 'filter emulation'; readonly name: string; readonly operator: Operator | undefined }
  | {
      readonly kind: 'operator replacement';
      readonly name: string;
      readonly operator: Operator;
      readonly handler: OperatorHandler;
    }
  | { readonly kind: 'sort emulation'; readonly name: string }
  | { readonly kind: 'sort replacement'; readonly name: string; readonly sort: readonly SortClause[] }
  | { readonly kind: 'sort ban'; readonly name: string }
  | { readonly kind: 'search'; readonly handler: SearchHandler | undefined }
  | { readonly kind: 'count ban' }
  /** The values of writes are kept. */
  | { readonly kind: 'history' }
  | { readonly kind: 'title'; readonly name: string }
  | {
      readonly kind: 'hook';
      readonly position: HookPosition;
      readonly type: HookType;
      readonly handler: AnyHookHandler;
    }
  | OverrideDeclaration;

export type OverrideVerb = keyof OverrideHandlers;

type OverrideDeclaration = {
  readonly [Verb in OverrideVerb]: {
    readonly kind: 'override';
    readonly verb: Verb;
    readonly handler: OverrideHandlers[Verb];
  };
}[OverrideVerb];

/** A place in the user's code, which is looked up when somebody asks for it. */
interface DeclarationSite {
  readonly location: SourceLocation | undefined;
}

interface DeclarationBase {
  /** Its place in the user's code. */
  readonly site: DeclarationSite;
}

/** A chart of the agent, which belongs to no collection. */
interface AgentChartDeclaration extends DeclarationBase {
  readonly kind: 'agent chart';
  readonly name: string;
  readonly definition: AgentChart;
}

/** The provider of the AI features. */
interface AiDeclaration extends DeclarationBase {
  readonly kind: 'ai';
  readonly settings: AiSettings;
}

/** A way to show values that people may not see whole. */
interface MaskDeclaration extends DeclarationBase {
  readonly kind: 'mask';
  readonly name: string;
  readonly mask: Mask;
}

/** One call of the customization code about a collection. */
export type DeclarationOnCollection = DeclarationBase & { readonly collection: string } & (
    | { readonly kind: 'collection' }
    | { readonly kind: 'remove collection' }
    | CollectionDeclaration
  );

/** One call of the customization code, kept until the model is compiled. */
export type Declaration = AgentChartDeclaration | AiDeclaration | MaskDeclaration | DeclarationOnCollection;

/** A declaration of one kind. */
export type DeclarationOf<Kind extends Declaration['kind']> = Extract<Declaration, { readonly kind: Kind }>;

/** The context that the function of a segment gets. */
export type SegmentContext = CustomizationContext;

/** A saved filter: a condition, or a function that makes one for the caller. */
export type SegmentDefinition = ConditionTree | ((context: SegmentContext) => ConditionTree | Promise<ConditionTree>);
