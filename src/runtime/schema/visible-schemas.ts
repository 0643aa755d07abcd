import type {
  CollectionRights,
  VisibleAction,
  VisibleChart,
  VisibleCollection,
  VisibleCollectionName,
  VisibleDashboard,
  VisibleField,
  VisibleSchema,
} from '#contracts/visible-schema';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../customizer/caller.ts';
import {
  type CompiledCollection,
  type CompiledModel,
  collectionNamed,
  deniedWrites,
  isValueField,
} from '../model/compiled-model.ts';
import { type Authoriser, type CollectionRight, everyRight, type ShownRights } from '../permissions/authoriser.ts';
import type { WrittenBy } from '../query/collection-schema.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { digestOf, modelDigest } from './model-digest.ts';
import { compareNames } from './schema-document.ts';
import { valuesInScope } from './values-in-scope.ts';
import { type WholeCollection, waysOf, wholeCollection } from './whole-collection.ts';

/** The model as far as people may see it. */
export interface VisibleSchemas {
  /** The collections that the caller may browse, the charts of the agent, and the dashboards. */
  names(caller: Caller): Promise<Omit<VisibleSchema, 'webhookOrigins'>>;
  /** One collection. Right: browse. */
  collection(caller: Caller, name: string): Promise<VisibleCollection>;
  /** Another text after every change of the model or of the rights. It is worked out once for each. */
  revisionOf(rights: ShownRights): string;
  /** Those that were worked out already. */
  readonly knownRevisions: Pick<WeakMap<ShownRights, string>, 'get'>;
}

/** @param prefix Path that the routes of actions are below. */
export function createVisibleSchemas(model: CompiledModel, authoriser: Authoriser, prefix: string): VisibleSchemas {
  const revisions = new WeakMap<ShownRights, string>();
  const described = new Map<string, WholeCollection>();
  let digest: string | undefined;

  function describe(collection: CompiledCollection): WholeCollection {
    const known = described.get(collection.name) ?? wholeCollection(model, collection, prefix);
    described.set(collection.name, known);
    return known;
  }

  function revisionOf(rights: ShownRights): string {
    const known = revisions.get(rights);
    if (known !== undefined) return known;
    digest ??= modelDigest(model, prefix);
    const revision = digestOf(`${digest} ${rightsInShort(model, rights)}`);
    revisions.set(rights, revision);
    return revision;
  }

  return {
    knownRevisions: revisions,
    revisionOf,

    async names(caller) {
      const rights = await authoriser.rightsOf(caller);
      return {
        revision: revisionOf(rights),
        collections: namesFor(model, rights),
        firstCollection: mostRelated(model, rights),
        charts: chartsOf(model),
        dashboards: dashboardsFor(model, rights),
        ...(rights === everyRight ? { isUnrestricted: true } : {}),
      };
    },

    async collection(caller, name) {
      const collection = collectionNamed(model, name);
      await authoriser.require(caller, collection.name, 'browse');
      const rights = await authoriser.rightsOf(caller);
      const scope = await knownScope(authoriser, caller, collection.name);
      const visible = visiblePart(describe(collection), collection, rights);
      return {
        ...visible,
        ...(scope && scope !== 'closed' ? { fields: fieldsInScope(visible.fields, scope) } : {}),
        isScoped: scope !== undefined,
        revision: revisionOf(rights),
      };
    },
  };
}

/** A scope that cannot be filled in for the caller restricts them most: they see nothing. */
async function knownScope(
  authoriser: Authoriser,
  caller: Caller,
  collection: string,
): Promise<ConditionTree | 'closed' | undefined> {
  try {
    return await authoriser.scopeOf(caller, collection, 'browse');
  } catch (error) {
    if (isCloudError(error) && error.code === 'REQUEST_FORBIDDEN') return 'closed';
    throw error;
  }
}

/** Of an enumeration, the values that the caller meets and may write. */
function fieldsInScope(fields: VisibleCollection['fields'], scope: ConditionTree): VisibleCollection['fields'] {
  return fields.map((field) =>
    field.enumValues && field.type === 'Enum'
      ? { ...field, enumValues: valuesInScope(field.enumValues, field.name, scope) }
      : field,
  );
}

/** As people look for names: the second one before the tenth. */
const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

function namesFor({ collections }: CompiledModel, rights: ShownRights): VisibleCollectionName[] {
  return [...collections.values()]
    .filter(({ name }) => rights.has(name, 'browse'))
    .toSorted((a, b) => collator.compare(a.name, b.name) || compareNames(a.name, b.name))
    .map((collection) => ({ name: collection.name, rights: rightsOn(collection, rights) }));
}

/** Most work is about what everything else belongs to. Of several, the first by name. */
function mostRelated({ collections }: CompiledModel, rights: ShownRights): string | null {
  const isSeen = (name: string) => rights.has(name, 'browse');
  const counted = [...collections.values()]
    .filter(({ name }) => isSeen(name))
    .map(({ name, fields }) => ({
      name,
      relations: [...fields.values()].filter((field) => !isValueField(field) && isSeen(field.foreignCollection)).length,
    }));
  const [most] = counted.toSorted((a, b) => b.relations - a.relations || compareNames(a.name, b.name));
  return most?.name ?? null;
}

function visiblePart(
  { importedFrom, ...whole }: WholeCollection,
  collection: CompiledCollection,
  rights: ShownRights,
): Omit<VisibleCollection, 'revision' | 'isScoped'> {
  const { name } = whole;
  const relations = whole.relations.filter(({ shown }) => rights.has(shown.collection, 'read'));
  const seen = new Set(relations.map(({ shown }) => shown.name));
  const isSeenFromThere = rights.has(name, 'read');
  return {
    ...whole,
    rights: rightsOn(collection, rights),
    fields: whole.fields.map((field) => {
      const source = importedFrom.get(field.name);
      const shown = source === undefined ? field : importedField(field, source, rights);
      return shown.foreignKeyOf === null || seen.has(shown.foreignKeyOf) ? shown : { ...shown, foreignKeyOf: null };
    }),
    relations: relations.map(({ shown, changes }) => ({
      ...shown,
      isReadOnly: changes === undefined || !rights.has(changes, 'edit'),
      inverse: isSeenFromThere ? shown.inverse : null,
    })),
    actions: visibleActions(name, whole.actions, rights),
  };
}

/** A field of another collection is written by whoever may write the records of that one. */
function importedField(
  { isReadOnly, writtenBy, ...field }: VisibleField,
  source: string,
  rights: ShownRights,
): VisibleField {
  const isWritten = (way: WrittenBy) => !isReadOnly && (writtenBy ?? way) === way && rights.has(source, way);
  return { ...field, ...waysOf(isWritten) };
}

function visibleActions(name: string, actions: WholeCollection['actions'], rights: ShownRights): VisibleAction[] {
  return actions
    .filter((action) => rights.mayTrigger(name, action.name))
    .map((action) => ({
      ...{ ...action, needsApproval: rights.needsApproval(name, action.name) },
      ...(rights.alwaysNeedsApproval(name, action.name) ? { alwaysNeedsApproval: true as const } : {}),
    }));
}

/** A right to write counts where the user of the database has it too. */
function rightsOn(collection: CompiledCollection, rights: ShownRights): CollectionRights {
  const denied: readonly CollectionRight[] = deniedWrites(collection);
  const has = (right: CollectionRight) => rights.has(collection.name, right) && !denied.includes(right);
  return {
    browse: has('browse'),
    read: has('read'),
    edit: has('edit'),
    add: has('add'),
    delete: has('delete'),
    export: has('export'),
  };
}

function chartsOf({ charts }: CompiledModel): VisibleChart[] {
  return [...charts.keys()].map((name) => ({ name, kind: null }));
}

/** A chart over records needs the rights of the list of what it counts. */
function dashboardsFor({ dashboards = [] }: CompiledModel, rights: ShownRights): VisibleDashboard[] {
  const seen = dashboards.map(({ name, title, charts }) => ({
    name,
    title,
    charts: charts
      .filter(({ definition, reads }) =>
        'chart' in definition
          ? true
          : rights.has(definition.collection, 'browse') && reads.every((other) => rights.has(other, 'read')),
      )
      .map(({ definition }) => definition),
  }));
  return seen.filter(({ charts }) => charts.length > 0);
}

/** Every right that the schema shows, in the order of the model. */
function rightsInShort(model: CompiledModel, rights: ShownRights): string {
  let text = '';
  const add = (holds: boolean) => {
    text += holds ? '1' : '0';
  };
  for (const collection of model.collections.values()) {
    const { name, actions } = collection;
    for (const holds of Object.values(rightsOn(collection, rights))) add(holds);
    for (const action of actions.values()) {
      add(rights.mayTrigger(name, action.name));
      add(rights.needsApproval(name, action.name));
      add(rights.alwaysNeedsApproval(name, action.name));
    }
  }
  return text;
}
