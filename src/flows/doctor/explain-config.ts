import path from 'node:path';
import { type ProjectConfig, projectConfigFile } from '#contracts/project-config';
import { variables as knownVariables, type VariableDefinition } from '#kernel/environment/variables';
import { withoutUserInfo } from '#kernel/text/without-user-info';
import { readJson } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { type ProjectParts, readProjectParts } from '../platform-access/project-parts.ts';

/** Where a value came from, in the order in which they win. */
const settingSources = ['flag', 'variable', '.env', 'link', 'vendor-cloud.json', 'dev session', 'default'] as const;

type SettingSource = (typeof settingSources)[number];

export interface ExplainedSetting {
  /** Of a variable, or the path in `vendor-cloud.json`. */
  readonly name: string;
  /** `[redacted]` for a secret, `null` where nothing says a value. */
  readonly value: string | null;
  readonly source: SettingSource | null;
  /** Where other values are that lose. */
  readonly overruled: readonly SettingSource[];
}

interface ExplainConfigInput {
  readonly folder: string;
  /** The flags that were typed, by the names of their variables. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

type Candidate = readonly [SettingSource, string | undefined];

/** Every setting with its value, and where that comes from. Rejects with what is wrong in the files of the project. */
export async function explainConfig(
  context: FlowContext,
  { folder, flags }: ExplainConfigInput,
): Promise<readonly ExplainedSetting[]> {
  const parts = await readProjectParts(context, folder);
  const [problem] = parts.problems;
  if (problem) throw problem;
  const ofVariables = Object.entries<VariableDefinition>(knownVariables).map(([name, definition]) =>
    explained(name, candidatesOf(name, definition, { context, parts, flags }), definition.isSecret === true),
  );
  return [...ofVariables, ...(await settingsOfFile(context, parts))];
}

function candidatesOf(
  name: string,
  definition: VariableDefinition,
  { context, parts, flags }: { context: FlowContext; parts: ProjectParts; flags: ExplainConfigInput['flags'] },
): Candidate[] {
  const isServer = name === 'SERVICE_SERVER_URL';
  return [
    ['flag', flags[name]],
    ['variable', context.variables[name]],
    ['.env', parts.envFile[name]],
    ['link', parts.link[name]],
    ['vendor-cloud.json', isServer ? parts.config?.serverUrl : undefined],
    ['dev session', isServer ? parts.session?.sandboxUrl : undefined],
    ['default', definition.default],
  ];
}

/** The first candidate that says something wins. */
function explained(name: string, candidates: readonly Candidate[], isSecret: boolean): ExplainedSetting {
  const said = candidates.filter(([, value]) => value !== undefined && value !== '');
  const [[source = null, value = null] = [], ...others] = said;
  const shown = value !== null && isSecret ? '[redacted]' : value && withoutUserInfo(value);
  return { name, value: shown, source, overruled: others.map(([other]) => other) };
}

async function settingsOfFile({ fs }: FlowContext, { root, config }: ProjectParts): Promise<ExplainedSetting[]> {
  if (root === undefined || config === undefined) return [];
  const file = path.join(root, projectConfigFile);
  const reading = readJson(file, (await fs.readText(file)) ?? '');
  const written = 'value' in reading ? (reading.value as Partial<ProjectConfig>) : {};
  const simple = (['name', 'entry', 'typings', 'activityRequired'] as const).map((name) =>
    explained(name, [[Object.hasOwn(written, name) ? 'vendor-cloud.json' : 'default', String(config[name])]], false),
  );
  const ofRest = (['defaultTimezone', 'unknownParameters'] as const).map((name) =>
    explained(`rest.${name}`, [['vendor-cloud.json', config.rest?.[name]]], false),
  );
  const origins = config.rest?.webhookOrigins?.join(', ');
  const ofWebhooks = explained('rest.webhookOrigins', [['vendor-cloud.json', origins]], false);
  const uris = Object.entries(config.dataSources).flatMap(([name, { uri, replicas }]) => [
    explained(`dataSources.${name}.uri`, [['vendor-cloud.json', uri]], false),
    ...(replicas
      ? [explained(`dataSources.${name}.replicas.uris`, [['vendor-cloud.json', replicas.uris.join(', ')]], false)]
      : []),
  ]);
  return [...simple, ...ofRest, ofWebhooks, ...uris];
}
