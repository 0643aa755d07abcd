import type { Operator } from '../query/operators.ts';
import { CallSite } from '../user-code/call-site.ts';
import type { CollectionCustomizer, Plugin } from './agent.ts';
import type { CollectionDeclaration } from './declaration.ts';
import type { DeclarationSink } from './declaration-sink.ts';
import { declareInPlugin, type PluginDeclarations } from './plugin-declarations.ts';

type Method = ConstructorParameters<typeof CallSite>[0];

type Declare = (method: Method, declaration: CollectionDeclaration) => CollectionCustomizer;

/** The customizer of one collection: every call becomes a declaration with its place in the code. */
export function createCollectionCustomizer(collection: string, sink: DeclarationSink): CollectionCustomizer {
  /** Definitions are typed where they are declared; the compiler checks what they hold. */
  const declare = (method: Method, declaration: CollectionDeclaration): CollectionCustomizer => {
    sink.add({ ...declaration, collection, site: new CallSite(method) });
    return on;
  };

  const on: CollectionCustomizer = {
    addField: (name, definition) => declare(on.addField, { kind: 'field', name, definition } as CollectionDeclaration),
    importField: (name, definition) => declare(on.importField, { kind: 'import', name, definition }),
    renameField: (name, newName) => declare(on.renameField, { kind: 'rename field', name, newName }),
    removeField: (...names) =>
      declareEach(on, names, (name) => declare(on.removeField, { kind: 'remove field', name })),
    addFieldValidation: (name, operator, value) =>
      declare(on.addFieldValidation, { kind: 'validation', name, operator, value } as CollectionDeclaration),
    setFieldNullable: (name) => declare(on.setFieldNullable, { kind: 'nullable field', name }),
    replaceFieldWriting: (name, handler) => declare(on.replaceFieldWriting, { kind: 'field writing', name, handler }),
    replaceFieldBinaryMode: (name, mode) => declare(on.replaceFieldBinaryMode, { kind: 'binary mode', name, mode }),
    setFieldTones: (name, tones) => declare(on.setFieldTones, { kind: 'tone', name, tones }),
    showFieldBecause: (name, reason) => declare(on.showFieldBecause, { kind: 'shown field', name, reason }),
    ...trustMethods(() => on, declare),
    addManyToOneRelation: (name, foreignCollection, options) => {
      const definition = { ...options, kind: 'ManyToOne', foreignCollection } as const;
      return declare(on.addManyToOneRelation, { kind: 'relation', name, definition });
    },
    addOneToManyRelation: (name, foreignCollection, options) => {
      const definition = { ...options, kind: 'OneToMany', foreignCollection } as const;
      return declare(on.addOneToManyRelation, { kind: 'relation', name, definition });
    },
    addOneToOneRelation: (name, foreignCollection, options) => {
      const definition = { ...options, kind: 'OneToOne', foreignCollection } as const;
      return declare(on.addOneToOneRelation, { kind: 'relation', name, definition });
    },
    addManyToManyRelation: (name, foreignCollection, throughCollection, options) => {
      const definition = { ...options, kind: 'ManyToMany', foreignCollection, throughCollection } as const;
      return declare(on.addManyToManyRelation, { kind: 'relation', name, definition });
    },
    addExternalRelation: (name, definition) =>
      declare(on.addExternalRelation, { kind: 'external relation', name, definition }),
    addSegment: (name, definition) =>
      declare(on.addSegment, { kind: 'segment', name, definition } as CollectionDeclaration),
    addAction: (name, definition) =>
      declare(on.addAction, { kind: 'action', name, definition } as CollectionDeclaration),
    addChart: (name, definition) => declare(on.addChart, { kind: 'chart', name, definition } as CollectionDeclaration),
    addHook: (position, type, handler) =>
      declare(on.addHook, { kind: 'hook', position, type, handler } as CollectionDeclaration),
    replaceSearch: (handler) => declare(on.replaceSearch, { kind: 'search', handler } as CollectionDeclaration),
    disableSearch: () => declare(on.disableSearch, { kind: 'search', handler: undefined }),
    emulateFieldSorting: (name) => declare(on.emulateFieldSorting, { kind: 'sort emulation', name }),
    replaceFieldSorting: (name, sort) => declare(on.replaceFieldSorting, { kind: 'sort replacement', name, sort }),
    disableFieldSorting: (name) => declare(on.disableFieldSorting, { kind: 'sort ban', name }),
    emulateFieldFiltering: (name) =>
      declare(on.emulateFieldFiltering, { kind: 'filter emulation', name, operator: undefined }),
    emulateFieldOperator: (name, operator) =>
      declare(on.emulateFieldOperator, { kind: 'filter emulation', name, operator } as CollectionDeclaration),
    replaceFieldOperator: (name, operator, handler) =>
      declare(on.replaceFieldOperator, replacementOf(name, operator as Operator, handler)),
    overrideCreate: (handler) => declare(on.overrideCreate, { kind: 'override', verb: 'create', handler }),
    overrideUpdate: (handler) => declare(on.overrideUpdate, { kind: 'override', verb: 'update', handler }),
    overrideDelete: (handler) => declare(on.overrideDelete, { kind: 'override', verb: 'delete', handler }),
    disableCount: () => declare(on.disableCount, { kind: 'count ban' }),
    keepHistory: () => declare(on.keepHistory, { kind: 'history' }),
    setTitle: (name) => declare(on.setTitle, { kind: 'title', name }),
    use<Options>(plugin: Plugin<Options>, options?: unknown) {
      // The declared type of "use" has checked them.
      sink.await(plugin(sink.agent, on, options as Options | undefined));
      return on;
    },
  };
  return Object.assign<CollectionCustomizer, PluginDeclarations>(on, {
    [declareInPlugin]: (given) => declare(on.use, given),
  });
}

/** What code says of who writes what is in fields. */
function trustMethods(
  on: () => CollectionCustomizer,
  declare: Declare,
): Pick<CollectionCustomizer, 'markFieldUntrusted' | 'trustFieldBecause'> {
  return {
    markFieldUntrusted: (...names) =>
      declareEach(on(), names, (name) => declare(on().markFieldUntrusted, { kind: 'untrusted field', name })),
    trustFieldBecause: (name, reason) => declare(on().trustFieldBecause, { kind: 'trusted field', name, reason }),
  };
}

function declareEach(
  on: CollectionCustomizer,
  names: readonly string[],
  declare: (name: string) => unknown,
): CollectionCustomizer {
  for (const name of names) declare(name);
  return on;
}

function replacementOf(name: string, operator: Operator, handler: unknown): CollectionDeclaration {
  return { kind: 'operator replacement', name, operator, handler } as CollectionDeclaration;
}
