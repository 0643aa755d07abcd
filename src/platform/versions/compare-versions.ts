import * as z from 'zod';
import { compareOutlines, schemaChangeInWords } from '#contracts/compare-outlines';
import { dashboardsOf } from '#contracts/dashboards';
import { type PermissionFile, permissionFileSchema } from '#contracts/permission-file';
import { differenceInWords } from '#contracts/rights-in-words';
import { type SchemaDocument, schemaDocumentSchema } from '#contracts/schema-document';
import { outlineOfDocument } from '#contracts/schema-outlines';
import type { KeptContent, VersionChange, VersionChanges } from '#contracts/versions';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { VersionRecord, VersionRepository } from './version-repository.ts';

type Bundles = Pick<VersionRepository, 'readBundle'>;

/** What changes where `after` serves in place of `before`: of nothing, where that is absent. */
export async function compareVersions(
  bundles: Bundles,
  before: VersionRecord | undefined,
  after: VersionRecord,
): Promise<VersionChanges> {
  const [was, is] = await Promise.all([before ? partsOf(bundles, before) : nothing, partsOf(bundles, after)]);
  const schema = both(was.schema, is.schema, schemaChanges);
  return {
    version: after.number,
    replacing: before?.number ?? null,
    isBreaking: schema?.some(({ isBreaking }) => isBreaking) ?? false,
    code: { before: before ? codeFacts(before) : null, after: codeFacts(after) },
    schema,
    dashboards: both(was.dashboards, is.dashboards, changesByName),
    settings: both(was.settings, is.settings, changesByName),
    rights: both(was.rights, is.rights, rightsChanges),
  };
}

/** What a version is made of, as far as it can be compared; `undefined` where it cannot be read. */
interface Parts {
  readonly schema: Pick<SchemaDocument, 'collections'> | undefined;
  readonly dashboards: Named | undefined;
  readonly settings: Named | undefined;
  /** `null` for a version without a `permissions.json`. */
  readonly rights: PermissionFile | null | undefined;
}

/** What something is called, and all of it as text. */
type Named = ReadonlyMap<string, string>;

const nothing: Parts = { schema: { collections: [] }, dashboards: new Map(), settings: new Map(), rights: null };

async function partsOf(bundles: Bundles, { projectId, digest, content }: VersionRecord): Promise<Parts> {
  const kept = content === null ? undefined : (JSON.parse(content) as KeptContent);
  const textOf = async (part: { readonly digest: string } | null | undefined) => {
    const bytes = part && (await bundles.readBundle(projectId, part.digest));
    return bytes && new TextDecoder().decode(bytes);
  };
  const [code, schema, rights] = await Promise.all([
    textOf({ digest }),
    textOf(kept?.schema),
    textOf(kept?.permissions),
  ]);
  return {
    schema: readOf(schema, (text) => schemaDocumentSchema.parse(JSON.parse(text))),
    dashboards: readOf(code, dashboardsIn),
    settings: kept && settingsIn(kept),
    rights: kept?.permissions === null ? null : readOf(rights, (text) => permissionFileSchema.parse(JSON.parse(text))),
  };
}

/** What is in a bundle. Whoever pushes may send any bytes, and those of another format say nothing. */
function readOf<Content>(text: string | null | undefined, read: (text: string) => Content): Content | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    return read(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

const builtDashboardsSchema = z.array(z.looseObject({ name: z.string(), title: z.string() }));

function dashboardsIn(code: string): Named {
  return new Map(
    builtDashboardsSchema
      .parse(dashboardsOf(code))
      .map(({ lines: _lines, ...dashboard }) => [`${dashboard.title} (${dashboard.name})`, canonicalJson(dashboard)]),
  );
}

/** An address of a database may hold a password, so that data sources are compared by their names. */
function settingsIn({ dataSources, activityRequired, rest }: KeptContent): Named {
  return new Map<string, string>([
    ...Object.entries(dataSources).map(([name, source]) => [`data source ${name}`, canonicalJson(source)] as const),
    ...(activityRequired ? [['activityRequired', 'true'] as const] : []),
    ...(rest ? [['rest', canonicalJson(rest)] as const] : []),
  ]);
}

function both<Part>(
  before: Part | undefined,
  after: Part | undefined,
  compare: (before: Part, after: Part) => VersionChange[],
): VersionChange[] | null {
  return before === undefined || after === undefined ? null : compare(before, after);
}

function schemaChanges(
  before: Pick<SchemaDocument, 'collections'>,
  after: Pick<SchemaDocument, 'collections'>,
): VersionChange[] {
  return compareOutlines(outlineOfDocument(before), outlineOfDocument(after)).map((change) => ({
    change: change.change,
    words: schemaChangeInWords(change),
    isBreaking: change.isBreaking,
  }));
}

function rightsChanges(before: PermissionFile | null, after: PermissionFile | null): VersionChange[] {
  const { removed, added } = differenceInWords(before, after);
  return [
    ...removed.map((words) => ({ change: 'removed' as const, words, isBreaking: false })),
    ...added.map((words) => ({ change: 'added' as const, words, isBreaking: false })),
  ];
}

function changesByName(before: Named, after: Named): VersionChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((words): VersionChange[] => {
    const [was, is] = [before.get(words), after.get(words)];
    if (was === is) return [];
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    return [{ change, words, isBreaking: false }];
  });
}

function codeFacts({ digest, sizeBytes, gitCommit }: VersionRecord) {
  return { digest, sizeBytes, gitCommit };
}
