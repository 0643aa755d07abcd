import path from 'node:path';
import { firstRole, type PermissionFile } from '#contracts/permission-file';
import { leftOutInWords } from '#contracts/rights';
import { savedSchemaFile } from '#contracts/saved-schema';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { type ErrorReport, reportOfError } from '#kernel/errors/error-report';
import { hasSameLines } from '#kernel/text/line-ends';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { openProject, type Project } from '#project/index';
import { prepareVersion } from '../build/prepare-version.ts';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';
import { leftOutBy } from '../platform-access/rights-of-environment.ts';
import type { CompileAgainst } from '../schema/compile-against.ts';
import { checkSchema } from '../schema/schema.ts';
import { checkCode, type LoadedCode } from './check-code.ts';
import { type CheckedStep, type CheckName, failed, passed, skipped, stepOf } from './checked-step.ts';
import { PreparedCheck } from './prepared-check.ts';

export interface CheckInput {
  readonly folder: string;
  /** What the code is compiled against. Default: `schema.json` where there is one, else the databases. */
  readonly against?: CompileAgainst | undefined;
  /** The environment whose people are asked for. Default: that of the token. */
  readonly environment?: string | undefined;
}

export interface CheckResult {
  readonly project: string;
  readonly isPassed: boolean;
  readonly steps: readonly {
    readonly name: CheckName;
    readonly state: CheckedStep['state'];
    /** Why it was skipped. */
    readonly note?: string;
    readonly problems: readonly ErrorReport[];
    /** What is not a fault of the project, and may still be a mistake. */
    readonly warnings?: readonly string[];
  }[];
}

/**
 * All that holds for a project that can be pushed, looked at in one go: what is wrong in one place does not hide what is wrong in
 * another. Writes nothing. A platform is asked for one thing, by somebody who is signed in: whose role the rights do not name. Rejects only
 * for what is not a project.
 */
export async function check(context: FlowContext, input: CheckInput): Promise<CheckResult> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const prepared = new PreparedCheck(context, project, input.against);
  try {
    const checked = await checkProject(context, project, prepared, input.environment);
    const steps = checked.map(({ problems, ...step }) => ({ ...step, problems: problems.map(reportOfError) }));
    return { project: project.config.name, isPassed: steps.every(({ state }) => state !== 'failed'), steps };
  } finally {
    await prepared.end();
  }
}

async function checkProject(
  context: FlowContext,
  project: Project,
  check: PreparedCheck,
  environment: string | undefined,
): Promise<readonly CheckedStep[]> {
  check.begin();
  const { step: bundle, value: prepared } = await stepOf('bundle', () => prepareVersion(context, project));
  if (!prepared) return [bundle];
  const { step: choice, value: chosen } = await stepOf('load', async () => ({
    savedSchema: await check.savedSchema(),
  }));
  if (!chosen) return [bundle, choice];
  const { savedSchema } = chosen;
  const { steps, loaded, rights } = await checkCode(context, project, prepared.code, check);
  const [withPeople, typings, schema] = await Promise.all([
    rights ? withPeopleLeftOut(steps, () => peopleLeftOut(context, project, rights, environment)) : steps,
    checkTypings(context, project, loaded, savedSchema !== undefined),
    savedSchema
      ? skipped('schema', 'Not compared with the databases; --against database does that.')
      : checkSchemaFile(context, project),
  ]);
  return [bundle, ...withPeople, typings, schema];
}

/** The steps, with a warning for each role that people have and the rights do not name. */
async function withPeopleLeftOut(
  steps: readonly CheckedStep[],
  find: () => ReturnType<typeof peopleLeftOut>,
): Promise<readonly CheckedStep[]> {
  const found = await find();
  return steps.map((step) => (step.name === 'permissions' ? { ...step, ...found } : step));
}

async function checkTypings(
  context: FlowContext,
  project: Project,
  loaded: LoadedCode | undefined,
  isOfFile: boolean,
): Promise<CheckedStep> {
  if (!loaded) return skipped('typings', 'The code does not load.');
  const drift = await typingsDrift(context, project, { current: loaded.typings, isOfFile });
  return drift ? failed('typings', [drift]) : passed('typings');
}

/** Whether `schema.json` says what the databases look like now, where the project has one. */
async function checkSchemaFile(context: FlowContext, project: Project): Promise<CheckedStep> {
  const file = path.join(project.root, savedSchemaFile);
  if (!(await context.fs.exists(file))) return skipped('schema', `The project has no ${savedSchemaFile}.`);
  const { step, value } = await stepOf('schema', () => checkSchema(context, project.root));
  if (!value || value.isCurrent) return step;
  const outdated = cloudError(
    'GENERATED_FILE_OUTDATED',
    `${savedSchemaFile} is not what the databases look like now (${value.changes.length} differences).`,
    ['See them: vendor-cloud schema --check', 'Write it again, and commit it: vendor-cloud schema'],
    { location: { file, line: 1 } },
  );
  return failed('schema', [outdated]);
}

/**
 * The people that the rights of a project leave out, for its `permissions` step. They are the people of its platform where somebody is
 * signed in there, else those of a new platform.
 */
async function peopleLeftOut(
  context: FlowContext,
  project: Project,
  rights: PermissionFile,
  environment: string | undefined,
): Promise<Pick<CheckedStep, 'note' | 'warnings'>> {
  try {
    const { client } = await connectToPlatform(context, project, environment);
    return { warnings: leftOutInWords(await leftOutBy(client, rights)) };
  } catch (error) {
    if (!isCloudError(error) || error.kind === 'bug' || error.code === 'INTERRUPTED') throw error;
    const named = Object.keys(rights.roles);
    const why = error.code === 'CREDENTIALS_MISSING' ? 'nobody is signed in.' : error.message;
    const note = `The people of a platform were not asked: ${why}`;
    if (named.includes(firstRole)) return { note };
    const nearest = didYouMean(nearestName(firstRole, named));
    return {
      note,
      warnings: [
        `${firstRole}, the role of whoever sets up a platform, loses everything: permissions.json does not name it.${nearest}`,
      ],
    };
  }
}

const typingsStep = 'Write it again, and commit it: vendor-cloud update-typings';
// It reads the databases, and what it writes is outdated again for a schema.json that is behind them.
const schemaStep = `Where the databases have changed, write ${savedSchemaFile} first: vendor-cloud schema`;

interface CurrentTypings {
  readonly current: string;
  /** Whether they were made of `schema.json`. */
  readonly isOfFile: boolean;
}

/** What is wrong with the generated types of a project; `undefined` where they are up to date. */
async function typingsDrift(
  { fs }: Pick<FlowContext, 'fs'>,
  { root, typingsPath }: Project,
  { current, isOfFile }: CurrentTypings,
): Promise<CloudError | undefined> {
  const written = await fs.readText(typingsPath);
  if (written !== null && hasSameLines(written, current)) return undefined;
  const name = path.relative(root, typingsPath);
  const state = written === null ? 'is missing' : 'is not what the code and the schema make of it now';
  return cloudError(
    'GENERATED_FILE_OUTDATED',
    `${name} ${state}.`,
    isOfFile ? [schemaStep, typingsStep] : [typingsStep],
    { location: { file: typingsPath, line: 1 } },
  );
}
