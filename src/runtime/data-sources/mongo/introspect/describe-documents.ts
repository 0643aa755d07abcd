import type { MongoCollectionDescription, MongoDocument } from '#kernel/ports/mongo-database';
import type { ColumnDescription } from '../../tables/table-description.ts';
import type { DocumentSource } from '../document-source.ts';
import type { Flattening } from './flatten-options.ts';
import { type DeclaredObject, readJsonSchema, withDeclaredFields } from './json-schema.ts';
import { isSometimesEmpty, type SampledValue, valueTypeOf } from './sampled-values.ts';

/** A column, its place in the documents, and what samples show of it. */
export interface DescribedColumn {
  readonly column: ColumnDescription;
  readonly path: string;
  readonly sampled: SampledValue;
}

/** A collection of the data source, before its references are known. */
export interface DescribedCollection {
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly primaryKey: readonly string[];
  readonly columns: readonly DescribedColumn[];
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly source: DocumentSource;
  /** The collection of the documents, where elements of arrays are shown. */
  readonly parent?: string;
}

export interface Described {
  readonly collections: readonly DescribedCollection[];
  readonly warnings: readonly string[];
}

const widestObject = 30;
const separator = '@@@';
const nothingDeclared: DeclaredObject = { required: new Set(), enums: new Map(), properties: new Map() };

/** The collection of the documents, and one for each array that is taken out of them. */
export function describeDocuments(
  described: MongoCollectionDescription,
  sampled: SampledValue,
  flattening: Flattening,
): Described {
  const { name, isView, jsonSchema } = described;
  withDeclaredFields(sampled, jsonSchema);
  const id = sampled.fields.get('_id');
  // The key of an element begins with that of its document, as text.
  const canShowElements = id !== undefined && isTextKey(id);
  const walk = new Walk(name, canShowElements ? flattening : { ...flattening, isCollection: () => false });
  walk.enter(sampled, { declared: readJsonSchema(jsonSchema), path: '', prefix: '', isOptional: false });
  const { columns } = walk;
  const paths = new Map(columns.map(({ column, path }) => [column.name, path]));
  const key = columns.filter(({ path }) => path === '_id' || path.startsWith('_id.'));
  const nameAt = (path: string) => columns.find((column) => column.path === path)?.column.name;
  const uniqueKeys = described.uniqueKeys
    .map((unique) => unique.flatMap((path) => nameAt(path) ?? []))
    .filter((unique, index) => unique.length > 0 && unique.length === described.uniqueKeys[index]?.length);
  const root: DescribedCollection = {
    name,
    isReadOnly: isView,
    primaryKey: key.map(({ column }) => column.name),
    columns,
    uniqueKeys,
    source: { collection: name, prefix: [], paths },
  };
  const [rootKey] = key;
  const elements = rootKey ? walk.arrays.map((array) => describeElements(root, rootKey, array)) : [];
  return { collections: [root, ...elements], warnings: walk.warnings };
}

/** An object that is taken apart. */
interface Place {
  readonly declared: DeclaredObject;
  /** In the document. */
  readonly path: string;
  /** What the names of its columns begin with. */
  readonly prefix: string;
  /** Whether documents may be without it. */
  readonly isOptional: boolean;
}

/** An array whose elements are shown as records. */
interface FoundArray {
  readonly path: string;
  readonly items: SampledValue;
  readonly hasIds: boolean;
}

const textKeys: ReadonlySet<string> = new Set(['objectId', 'string', 'int', 'long']);

/** Goes through the fields of documents, and collects columns. */
class Walk {
  readonly columns: DescribedColumn[] = [];
  readonly arrays: FoundArray[] = [];
  readonly warnings: string[] = [];
  readonly #collection: string;
  readonly #flattening: Flattening;

  constructor(collection: string, flattening: Flattening) {
    this.#collection = collection;
    this.#flattening = flattening;
  }

  enter(holder: SampledValue, place: Place): void {
    const { declared, path, prefix, isOptional } = place;
    for (const [name, value] of holder.fields) {
      if (!isAddressable(name)) {
        this.warnings.push(
          `The field "${name}" of "${this.#collection}" is left out: its name is empty or "__proto__", or has a dot, a colon or a $ sign.`,
        );
        continue;
      }
      const at = path === '' ? name : `${path}.${name}`;
      if (this.#isTakenApart(at, value)) {
        this.enter(value, {
          declared: declared.properties.get(name) ?? nothingDeclared,
          path: at,
          prefix: `${prefix}${name}${separator}`,
          isOptional: isOptional || mayBeEmpty(name, holder, value, declared),
        });
      } else if (!this.#isTakenOut(at, value)) {
        const isNullable = isOptional || mayBeEmpty(name, holder, value, declared);
        const column = columnOf(`${prefix}${name}`, value, { isNullable, enumValues: declared.enums.get(name) });
        this.columns.push({ column, path: at, sampled: value });
      }
    }
  }

  #isTakenApart(path: string, { types, fields }: SampledValue): boolean {
    const isObject = types.size === 1 && types.has('object') && fields.size > 0;
    if (!isObject || ![...fields.keys()].every(isAddressable)) return false;
    return path === '_id' || (fields.size <= widestObject && this.#flattening.isFlattened(path));
  }

  /** Whether the elements of an array can be changed where they are shown as records; else the array stays a column too. */
  #isTakenOut(path: string, { types, items }: SampledValue): boolean {
    if (types.size !== 1 || !types.has('array') || !items || !this.#flattening.isCollection(path)) return false;
    const isOfObjects =
      items.types.size === 1 && items.types.has('object') && [...items.fields.keys()].every(isAddressable);
    const isOfReferences = items.types.size === 1 && items.types.has('objectId');
    if (!isOfObjects && !isOfReferences) return false;
    const id = items.fields.get('_id');
    const hasIds = isOfObjects && id !== undefined && !isSometimesEmpty(items, id) && isTextKey(id);
    this.arrays.push({ path, items, hasIds });
    return hasIds;
  }

  /** The elements of an array stay whole below their own fields and objects. */
  elementsOf(items: SampledValue): readonly DescribedColumn[] {
    this.enter(items, {
      declared: nothingDeclared,
      path: 'element',
      prefix: '',
      isOptional: items.present < items.places,
    });
    return this.columns;
  }
}

function describeElements(root: DescribedCollection, rootKey: DescribedColumn, array: FoundArray): DescribedCollection {
  const { path, items, hasIds } = array;
  const isSingle = !items.types.has('object');
  const columns = isSingle
    ? [
        {
          column: columnOf('content', items, { isNullable: items.present < items.places }),
          path: 'element',
          sampled: items,
        },
      ]
    : new Walk(`${root.name}.${path}`, { isCollection: () => false, isFlattened: () => true })
        .elementsOf(items)
        .filter(({ path: place }) => place !== 'element._id');
  const parentId = { ...rootKey.column, name: 'parentId', isNullable: false, hasDefault: false };
  const all: readonly DescribedColumn[] = [
    { column: keyColumn, path: '_id', sampled: items },
    { column: parentId, path: 'parentId', sampled: rootKey.sampled },
    ...columns.filter(({ column }) => column.name !== 'parentId'),
  ];
  return {
    name: `${root.name}_${path.replaceAll('.', '_')}`,
    isReadOnly: root.isReadOnly || !hasIds,
    primaryKey: ['_id'],
    columns: all,
    uniqueKeys: [],
    parent: root.name,
    source: {
      collection: root.source.collection,
      prefix: elementStages(path, hasIds),
      paths: new Map(all.map(({ column, path: place }) => [column.name, place])),
      element: { path, hasIds, isSingle },
      rootKey: rootKey.column,
    },
  };
}

/** One document for each element, with a key that names the document, the array and the element. */
function elementStages(path: string, hasIds: boolean): readonly MongoDocument[] {
  const element = textOf(hasIds ? `$${path}._id` : '$@index');
  return [
    { $unwind: { path: `$${path}`, includeArrayIndex: '@index' } },
    {
      $project: {
        _id: { $concat: [textOf('$_id'), `.${path}.`, element] },
        parentId: '$_id',
        element: `$${path}`,
      },
    },
    { $match: { _id: { $ne: null } } },
  ];
}

/** Null for a value that has no text: samples may not have shown it, and one document must not make every query fail. */
function textOf(path: string): MongoDocument {
  return { $convert: { input: path, to: 'string', onError: null, onNull: null } };
}

const keyColumn: ColumnDescription = {
  name: '_id',
  type: 'String',
  nativeType: 'string',
  isExact: false,
  isNullable: false,
  isGenerated: true,
  isAutoIncrement: false,
  hasDefault: true,
};

function columnOf(
  name: string,
  sampled: SampledValue,
  { isNullable, enumValues }: { readonly isNullable: boolean; readonly enumValues?: readonly string[] | undefined },
): ColumnDescription {
  const valueType = valueTypeOf(sampled);
  const isKey = name === '_id';
  return {
    name,
    ...valueType,
    ...(enumValues && valueType.type === 'String' ? { type: 'Enum', enumValues } : {}),
    isNullable: isNullable && !isKey,
    isGenerated: false,
    isAutoIncrement: false,
    // The agent makes ids where it knows how.
    hasDefault: isKey && valueType.nativeType === 'objectId',
  };
}

/** Whether a field may be without a value where its object is there. */
function mayBeEmpty(name: string, holder: SampledValue, sampled: SampledValue, { required }: DeclaredObject): boolean {
  return !required.has(name) && isSometimesEmpty(holder, sampled);
}

function isTextKey(sampled: SampledValue): boolean {
  return textKeys.has(valueTypeOf(sampled).nativeType);
}

/**
 * Paths have dots, those of fields behind relations colons, and a $ sign begins what MongoDB works out. A field `__proto__` of an
 * object is not a field of it in JavaScript.
 */
function isAddressable(name: string): boolean {
  return name !== '' && name !== '__proto__' && !name.startsWith('$') && !/[.:]/.test(name);
}
