import path from 'node:path';
import type { SchemaCollection } from '#contracts/schema-document';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { type Project, refuseLinks, writeGenerated } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { packageManagerOf, runCommand } from '../packages/package-manager.ts';
import { type LoadedProject, loadOnce } from '../project-agent/load-once.ts';
import {
  writeAction,
  writeChart,
  writeField,
  writeHook,
  writePlugin,
  writeSegment,
  writeTest,
} from './code-of-kinds.ts';
import type { CodeQuestion, GeneratedModule, WriteCode } from './generated-code.ts';
import { type GeneratedNames, generatedNames } from './generated-names.ts';
import { type Registration, registered, registrationLines } from './register-in-index.ts';

/** What can be generated, and where its module goes below the folder of the entry. */
const kinds = {
  action: { write: writeAction, folder: ({ collection }) => collection.names.file },
  field: { write: writeField, folder: ({ collection }) => collection.names.file },
  segment: { write: writeSegment, folder: ({ collection }) => collection.names.file },
  hook: { write: writeHook, folder: ({ collection }) => collection.names.file },
  chart: { write: writeChart, folder: () => 'charts' },
  plugin: { write: writePlugin, folder: () => 'plugins' },
  test: { write: writeTest, folder: () => '' },
} satisfies Record<
  string,
  { write: WriteCode; folder: (question: Pick<CodeQuestion, 'names' | 'collection'>) => string }
>;

export type GeneratedKind = keyof typeof kinds;

export interface GenerateInput {
  readonly folder: string;
  readonly kind: GeneratedKind;
  readonly name: string;
  /** The collection that it is about; the first one of the project by default. */
  readonly collection?: string | undefined;
}

export interface GeneratedFiles {
  readonly kind: GeneratedKind;
  /** Absolute paths. */
  readonly files: readonly string[];
  /** The entry of the project, where it calls the code now. */
  readonly registeredIn: string | null;
  /** What to write into the entry where it could not be changed. */
  readonly toRegister: readonly string[];
  /** What runs the test. */
  readonly testCommand: string;
}

/**
 * Write code that compiles against the database as it is now, with a test, and have the entry of the project call it. Rejects with
 * `GENERATED_FILE_EXISTS` when a file is there already, and with `USAGE_INVALID` when the collection has the name; nothing is written then.
 */
export function generate(context: FlowContext, input: GenerateInput): Promise<GeneratedFiles> {
  return loadOnce(context, input.folder, async (loaded) => {
    const { fs } = context;
    const { project } = loaded;
    const { write, folder } = kinds[input.kind];
    const testCommand = runCommand(await packageManagerOf(context, project.root), 'vendor-cloud exec -- node --test');
    const [names, known] = [generatedNames(input.name), await collectionOf(loaded, input)];
    const about = { names, collection: collectionInCode(known) };
    const sourceFolder = path.join(path.dirname(project.entry), folder(about));
    const code = write({ ...about, testCommand, typings: moduleFrom(sourceFolder, typingsModule(project)) });
    const modulePath = path.join(sourceFolder, `${about.names.file}.ts`);
    const files = [
      ...(code.module ? [{ file: modulePath, text: code.module.text }] : []),
      { file: path.join(project.root, 'test', `${testName(input.kind, about)}.test.ts`), text: code.test },
    ];
    for (const { file } of files) {
      await refuseLinks(fs, project.root, file);
      if (await fs.exists(file)) throw fileExists(file);
    }
    refuseTakenName(input.kind, { names, collection: known });
    for (const { file, text } of files) await fs.writeAtomically(file, text);
    await writeGenerated(fs, project.root, project.typingsPath, await loaded.agent.typings());
    const paths = files.map(({ file }) => file);
    const registration = code.module && registrationOf(project, modulePath, code.module);
    return { kind: input.kind, files: paths, ...(await register(fs, project, registration)), testCommand };
  });
}

async function collectionOf(
  { agent }: LoadedProject,
  { collection: wanted }: GenerateInput,
): Promise<SchemaCollection> {
  const { collections } = (await agent.schema(null))?.document ?? { collections: [] };
  const found = wanted === undefined ? collections[0] : collections.find(({ name }) => name === wanted);
  if (!found) throw unknownCollection(wanted, collections);
  return found;
}

function collectionInCode(found: SchemaCollection) {
  const column = found.fields.find(({ isPrimaryKey }) => isPrimaryKey) ?? found.fields[0];
  return {
    name: found.name,
    names: generatedNames(found.name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')),
    column: column?.field ?? 'id',
  };
}

function testName(
  kind: GeneratedKind,
  { names, collection }: { names: GeneratedNames; collection: { names: GeneratedNames } },
) {
  const isOfCollection = kind !== 'chart' && kind !== 'plugin' && kind !== 'test';
  return isOfCollection ? `${collection.names.file}-${names.file}` : names.file;
}

function typingsModule({ typingsPath }: Project): string {
  return typingsPath.replace(/(?:\.d)?\.ts$/, '.js');
}

/** `./refund.js`, with forward slashes. */
function moduleFrom(folder: string, file: string): string {
  const relative = path.relative(folder, file).split(path.sep).join('/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

function registrationOf(
  { entry }: Project,
  modulePath: string,
  { exported, isPlugin = false }: GeneratedModule,
): Registration {
  return { name: exported, isPlugin, module: moduleFrom(path.dirname(entry), modulePath.replace(/\.ts$/, '.js')) };
}

async function register(fs: FileSystem, { entry }: Project, registration: Registration | undefined) {
  if (!registration) return { registeredIn: null, toRegister: [] };
  const changed = registered((await fs.readText(entry)) ?? '', registration);
  if (changed === undefined) return { registeredIn: null, toRegister: registrationLines(registration) };
  await fs.writeAtomically(entry, changed);
  return { registeredIn: entry, toRegister: [] };
}

function fileExists(file: string): CloudError {
  return cloudError(
    'GENERATED_FILE_EXISTS',
    `${file} exists already, so nothing was written.`,
    'Choose another name, or remove the file first.',
  );
}

function unknownCollection(wanted: string | undefined, collections: readonly SchemaCollection[]): CloudError {
  const names = collections.map(({ name }) => name);
  return cloudError(
    'USAGE_INVALID',
    wanted === undefined
      ? 'The project has no collection that the code could be about.'
      : `There is no collection "${wanted}".${didYouMean(nearestName(wanted, names))}`,
    names.length > 0 ? `Name one of: ${names.slice(0, 20).join(', ')}.` : 'Check the data sources of the project.',
  );
}

/** The kinds of code that give a collection something with a name. */
type NamedKind = 'action' | 'field' | 'segment';

interface Wanted {
  readonly names: GeneratedNames;
  readonly collection: SchemaCollection;
}

/** Code for a name that the collection has already would not load. @throws `USAGE_INVALID`. */
function refuseTakenName(kind: string, wanted: Wanted): void {
  if (!isNamedKind(kind)) return;
  const { name, taken } = namesOf[kind](wanted);
  if (!taken.includes(name)) return;
  throw cloudError(
    'USAGE_INVALID',
    `"${wanted.collection.name}" has ${kind === 'action' ? 'an' : 'a'} ${kind} "${name}" already, so nothing was written.`,
    'Choose another name.',
  );
}

const namesOf: Record<NamedKind, (wanted: Wanted) => { name: string; taken: readonly string[] }> = {
  action: ({ names, collection }) => ({ name: names.title, taken: collection.actions.map(({ name }) => name) }),
  field: ({ names, collection }) => ({ name: names.camel, taken: collection.fields.map(({ field }) => field) }),
  segment: ({ names, collection }) => ({ name: names.title, taken: collection.segments.map(({ name }) => name) }),
};

function isNamedKind(kind: string): kind is NamedKind {
  return kind in namesOf;
}
