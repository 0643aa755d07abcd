import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { type InstalledPackage, installedPackage } from '../helpers/installed-package.ts';

interface PublicNames {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** What customizations are written with. */
const customizationNames: PublicNames = {
  values: [
    'ForbiddenError',
    'NotFoundError',
    'UnprocessableError',
    'ValidationError',
    'add',
    'caseWhen',
    'coalesce',
    'concat',
    'datePart',
    'divide',
    'field',
    'jsonPath',
    'multiply',
    'subtract',
    'when',
  ],
  types: [
    'ActionContext',
    'ActionDefinition',
    'ActionFile',
    'ActionForm',
    'ActionResult',
    'ActionScope',
    'Agent',
    'AgentChartContext',
    'AnySchema',
    'Caller',
    'ChartLine',
    'ChartPoint',
    'ChartResult',
    'ChartResultBuilder',
    'CollectionChartContext',
    'CollectionCustomizer',
    'CollectionName',
    'CollectionOutline',
    'ColumnOutline',
    'ColumnType',
    'ConditionBranch',
    'ConditionLeaf',
    'ConditionTree',
    'ContextAggregation',
    'ContextCollection',
    'ContextDataSource',
    'ContextFilter',
    'ContextOn',
    'CustomizationContext',
    'DatePart',
    'Expression',
    'ExpressionBranch',
    'ExpressionFieldDefinition',
    'ExternalRelationDefinition',
    'FieldDefinition',
    'FileContent',
    'FormElement',
    'FormField',
    'GeneratedCondition',
    'HookContext',
    'HookContexts',
    'HookHandler',
    'HookPosition',
    'HookType',
    'MongoConnectionParams',
    'Operand',
    'Operator',
    'OperatorHandler',
    'OverrideCreateContext',
    'OverrideDeleteContext',
    'OverrideHandlers',
    'OverrideUpdateContext',
    'PartialRecord',
    'PatchOf',
    'Plugin',
    'PluginAgent',
    'PrimitiveType',
    'RecordData',
    'RecordKey',
    'RecordOf',
    'RefusalData',
    'RelationOutline',
    'ResultBuilder',
    'SearchContext',
    'SearchHandler',
    'SearchOptions',
    'SegmentContext',
    'SegmentDefinition',
    'SingleActionContext',
    'SqlConnectionParams',
    'TimeRange',
    'UnendedWrite',
    'WholeRecord',
    'WriteContext',
    'WriteHandler',
    'WriteOutcome',
    'WritePatch',
  ],
};

/** The public interface. A name that leaves, or comes, is a decision: change it here as well. */
const publicNames: Record<string, PublicNames> = {
  '.': customizationNames,
  './agent': {
    values: [
      ...customizationNames.values,
      'ConditionTreeBranch',
      'ConditionTreeFactory',
      'ConditionTreeLeaf',
      'Filter',
      'Projection',
      'createAgent',
      'createMemoryDataSource',
      'createMongoDataSource',
      'createSqlDataSource',
    ],
    types: [
      ...customizationNames.types,
      'AgentOptions',
      'AggregateQuery',
      'AggregateRow',
      'Aggregation',
      'BodyParserOptions',
      'CollectionFlattening',
      'CollectionSchema',
      'CollectionSelection',
      'ColumnSchema',
      'DataSource',
      'DataSourceFactory',
      'EmbeddedAgent',
      'ExperimentalOptions',
      'FieldSchema',
      'FilterOptions',
      'JoinPairs',
      'ListQuery',
      'ListTemplate',
      'LogFunction',
      'McpOptions',
      'MemoryCollection',
      'MemoryColumn',
      'MemorySchema',
      'MongoDataSourceOptions',
      'Page',
      'PreparedList',
      'QueryContext',
      'QueryPlan',
      'RecordStore',
      'RelationSchema',
      'RequestLimitOptions',
      'RestOptions',
      'SortClause',
      'SqlDataSourceOptions',
      'Telemetry',
      'TelemetryMeter',
      'TelemetryTracer',
      'TransactionalStore',
    ],
  },
  './agent-testing': {
    values: [
      'ActionFailedError',
      'ActionFormValidationError',
      'ActionRequiresApprovalError',
      'AgentHttpError',
      'UnknownActionFieldError',
      'UnknownNameError',
      'createAgentTestClient',
      'createForestServerSandbox',
      'startTestAgent',
    ],
    types: [
      'ActionAnswer',
      'ActionClient',
      'ActionField',
      'ActionOverride',
      'ActionSelection',
      'AgentCharts',
      'AgentTestClient',
      'AgentTestClientOptions',
      'AllRecords',
      'ApprovalOptions',
      'Attributes',
      'Benchmark',
      'BenchmarkResult',
      'ChartFigure',
      'ChartOptions',
      'ChartShare',
      'ChartStretch',
      'CheckboxField',
      'CheckboxGroupField',
      'ChoiceField',
      'CollectionCapabilities',
      'CollectionCharts',
      'CollectionClient',
      'CollectionClientOf',
      'CollectionOverride',
      'ColorPickerField',
      'EnumField',
      'EnumListField',
      'ExecuteOptions',
      'ExportOptions',
      'Fault',
      'FieldOption',
      'FileField',
      'FileListField',
      'FilterOptions',
      'FixedDate',
      'ForestServerSandbox',
      'FormLayout',
      'InjectedFault',
      'JournalEntry',
      'LayoutElement',
      'LayoutPage',
      'ListField',
      'ListOptions',
      'LiveQuery',
      'MultipleTimeBasedChart',
      'ObjectiveChart',
      'PermissionOverrides',
      'PlainCondition',
      'PlainRecord',
      'RecordChartOptions',
      'RecordId',
      'RecordReader',
      'RelationClient',
      'RequestFilter',
      'TestAgent',
      'TestAgentOptions',
      'TestFixtures',
      'TestRecord',
      'TextSink',
      'ValueChart',
    ],
  },
  './ai-proxy': {
    values: ['createAiProvider'],
    types: ['AiOptions', 'AiProvider', 'AiProviderOptions', 'AiToolServer'],
  },
  './plugin-export': {
    values: ['exportRecords'],
    types: ['ExportColumn', 'ExportFormat', 'ExportRecordsOptions'],
  },
  './plugin-file-storage': {
    values: ['createFileField'],
    types: ['BucketCredentials', 'FileBucketOptions', 'FileFieldOptions', 'StoreAt', 'UriFile'],
  },
  './plugin-flattener': {
    values: ['flattenColumn', 'flattenJsonColumn', 'flattenRelation'],
    types: ['FlattenColumnOptions', 'FlattenJsonColumnOptions', 'FlattenRelationOptions'],
  },
};

let installed: InstalledPackage;
let subpaths: Record<string, string>;

beforeAll(async () => {
  installed = installedPackage();
  subpaths = JSON.parse(await readFile(path.join(installed.root, 'package.json'), 'utf8')).exports;
});

describe('the subpaths of the installed package', () => {
  it('are those that are pinned, and the manifest', () => {
    expect(Object.keys(subpaths)).toEqual([...Object.keys(publicNames), './package.json']);
  });

  it.each(Object.entries(publicNames))('%s exports exactly the pinned names', async (subpath, { values, types }) => {
    const specifier = `@vendor/cloud${subpath.slice(1)}`;
    const program = `console.log(JSON.stringify(Object.keys(await import('${specifier}')).sort()))`;
    const { stdout, stderr } = await execa(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: installed.folder,
    });
    expect(JSON.parse(stdout)).toEqual(values.toSorted());
    expect(stderr).toBe('');
    expect((await exportedTypes(declarationsOf(subpath))).sort()).toEqual(types.toSorted());
  });

  it('are everything that can be imported', async () => {
    const program = "await import('@vendor/cloud/dist/exports/index.js')";
    const { stderr, exitCode } = await execa(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: installed.folder,
      reject: false,
    });
    expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
    expect(exitCode).toBe(1);
  });
});

/** The file of a subpath that declares its types. */
function declarationsOf(subpath: string): string {
  return path.join(installed.root, (subpaths[subpath] ?? '').replace(/\.js$/, '.d.ts'));
}

/** The names that a file of declarations exports as types only, its own and those of the files that it passes on. */
async function exportedTypes(declarations: string): Promise<string[]> {
  const text = await readFile(declarations, 'utf8');
  const clauses = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type = '', names = '']) =>
    [...names.matchAll(/[^,\s][^,]*/g)].map(([name]) => `${type}${name.trim()}`),
  );
  const declared = [...text.matchAll(/^export (?:declare )?(?:interface|type) (\w+)/gm)].map(
    ([, name]) => `type ${name}`,
  );
  const own = [...clauses, ...declared]
    .filter((name) => name.startsWith('type '))
    .map((name) => name.slice('type '.length));
  const passedOn = [...text.matchAll(/^export \* from '(.*)\.[jt]s'/gm)].map(([, file]) =>
    exportedTypes(path.join(path.dirname(declarations), `${file}.d.ts`)),
  );
  return [...own, ...(await Promise.all(passedOn)).flat()];
}
