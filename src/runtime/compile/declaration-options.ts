import { unknownOption } from '#kernel/text/nearest-name';
import type { DeclarationOnCollection, FlattenForm } from '../customizer/declaration.ts';
import type { RelationDefinition } from '../customizer/relation-definition.ts';

const targets = ['foreignKey', 'foreignKeyTarget'] as const;
const origins = ['originKey', 'originKeyTarget'] as const;

const ofRelations: Readonly<Record<RelationDefinition['kind'], readonly string[]>> = {
  ManyToOne: targets,
  OneToOne: origins,
  OneToMany: origins,
  ManyToMany: [...origins, ...targets],
};

const ofPlugins: Readonly<Record<FlattenForm, readonly string[]>> = {
  document: ['columnName', 'columnType', 'level', 'readonly', 'keepOriginalColumn'],
  structure: ['columnName', 'columnType', 'level', 'readonly', 'include', 'exclude'],
  relation: ['relationName', 'readonly', 'include', 'exclude'],
};

const ofDefinitions = {
  field: ['columnType', 'enumValues', 'defaultValue', 'dependencies', 'getValues', 'expression', 'readonly'],
  import: ['path', 'readonly'],
  'external relation': ['schema', 'dependencies', 'listRecords', 'listRecordsBatch'],
  action: ['scope', 'execute', 'form', 'description', 'generateFile', 'submitButtonLabel'],
} as const;

/** An option that a declaration does not have, in a sentence with the nearest one; `undefined` where all are known. */
export function declarationOptionProblem(declaration: DeclarationOnCollection): string | undefined {
  const { collection } = declaration;
  switch (declaration.kind) {
    case 'field':
    case 'import':
    case 'external relation':
    case 'action':
      return problemOf(declaration, declaration.definition, ofDefinitions[declaration.kind], collection);
    case 'relation': {
      const { kind, foreignCollection: _foreign, ...rest } = declaration.definition;
      const { throughCollection: _through, ...options } = rest as Partial<Record<string, unknown>>;
      return problemOf(declaration, options, ofRelations[kind], collection);
    }
    case 'flatten':
      return problemOf(
        { kind: 'flattening', name: declaration.name },
        declaration.options,
        ofPlugins[declaration.form],
        collection,
      );
    default:
      return undefined;
  }
}

function problemOf(
  { kind, name }: { readonly kind: string; readonly name: string },
  options: unknown,
  known: readonly string[],
  collection: string,
): string | undefined {
  if (typeof options !== 'object' || options === null) return undefined;
  const problem = unknownOption(options, known);
  return problem && `The ${kind} "${name}" of "${collection}" has ${problem}`;
}
